// The table of NVIDIA's matrix instructions: which types they multiply and sum in, which sizes they have. Whoever
// multiplies matrices asks it (names of fragments, snippets, verifiers, lowering, the emulator) and adds its place to
// the answer.
//
//   auto rows = chooseMatrixInstructions({.family = MatrixFamily::Wgmma, .a = MatrixType::S8, .n = 40});
//   rows.error().message  ->  "`wgmma` of `s8` has N = 8, 24 or a multiple of 16 up to 256, not 40"
//   rows.error().part     ->  MatrixPart::N
//
//   with n = 48: rows->front()->depths()  ->  {32}, rows->front()->outputs  ->  {S32}
//
// A row says what one instruction does; an operation of several (M = 128 by two `wgmma`) asks for the sizes of one.
// Not here: which architecture has it (core's Target), where elements lie (Operands.h, TmemOperands.h).
#pragma once

#include "layouts/fragments/MatrixType.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <expected>
#include <initializer_list>
#include <string>
#include <vector>

namespace lanescope::layouts {

enum class MatrixFamily : uint8_t { Mma, Wgmma, Tcgen05 };

/// Sizes of `m16n8k16`; k is 0 where it was left out.
struct Mnk {
  int64_t m = 0, n = 0, k = 0;
  bool operator==(const Mnk &) const = default;
};
/// "m16n8k16", and back.
std::string shapeText(const Mnk &shape);
std::optional<Mnk> readShape(std::string_view part);

/// At most `Max` values, in the order of a table's cell.
template <typename T, size_t Max> class FewOf {
public:
  constexpr FewOf() = default;
  constexpr FewOf(std::initializer_list<T> values) {
    for (const T &value : values)
      push(value);
  }
  constexpr void push(const T &value) {
    assert(size_ < Max);
    values_[size_++] = value;
  }
  constexpr const T *begin() const { return values_.data(); }
  constexpr const T *end() const { return values_.data() + size_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T &front() const { return values_[0]; }
  constexpr const T &back() const { return values_[size_ - 1]; }
  constexpr bool contains(const T &value) const {
    for (const T &each : *this)
      if (each == value)
        return true;
    return false;
  }

private:
  std::array<T, Max> values_{};
  size_t size_ = 0;
};

/// Sizes of one dimension: some in particular, and multiples of `step` up to `most`.
struct SizeRule {
  FewOf<int64_t, 3> listed;
  int64_t step = 0, most = 0;

  constexpr bool allows(int64_t size) const {
    return listed.contains(size) || (step > 0 && size > 0 && size <= most && size % step == 0);
  }
  /// Of all sizes allowed; every other is a multiple of it.
  constexpr int64_t smallest() const { return listed.empty() ? step : listed.front(); }
  /// "64 or 128", "8, 24 or a multiple of 16 up to 256"
  std::string words() const;
};

/// Scales for blocks of A's rows and B's columns: `count` of them along K, each of `block` elements in a dense product.
struct BlockScale {
  int count = 0, block = 0;
  MatrixType type = MatrixType::UE8M0;
};

struct MatrixQuery;

struct MatrixInstruction {
  MatrixFamily family = MatrixFamily::Mma;
  std::string_view kind{};        // of `.kind::`; empty where the instruction has none
  bool sparse = false;            // half of A's elements are zero and not stored
  int ctas = 1;                   // tcgen05: that work together; M is of all of them
  bool weightStationary = false;  // tcgen05: `.ws`
  FewOf<MatrixType, 5> inputs{};  // A and B may each be any of them
  FewOf<MatrixType, 2> outputs{}; // C and D, the default first
  SizeRule rows{}, columns{};     // M, N
  FewOf<int, 3> depthBits{};      // bits of a row of A, before half of them is left out
  int container = 0;              // bits of an element in registers and memory, where it is wider than the value
  FewOf<BlockScale, 3> scales{};  // the default first; empty: no block scales
  bool mixesSums = false;         // D may be f32 with C of f16; else C has D's type
  bool saturates = false;         // `.satfinite` of integers
  bool negates = false;           // takes the signs of A and B as operands (tcgen05: in its descriptor)
  bool transposes = false;        // takes A and B with M and N as the faster dimension, too
  int ptxIsa = 0;                 // ten times the version of the ISA that it needs; 0: at most 8.6

  /// Bits of an element of A and B as stored.
  int elementBits() const { return container ? container : bitsOf(inputs.front()); }
  /// K in elements, the default (of tcgen05) or smallest first.
  FewOf<int64_t, 3> depths() const;
  /// The first that has the count, block and type of the query; nullopt: none.
  std::optional<BlockScale> scale(const MatrixQuery &query) const;
};

/// All of them, in the ISA's order.
const std::vector<MatrixInstruction> &matrixInstructions();

/// A type as the caller writes it.
struct MatrixTypeName {
  std::optional<MatrixType> type; // nullopt: something that no instruction has
  std::string_view name;

  MatrixTypeName(MatrixType type) : type(type), name(ptxName(type)) {}
  constexpr MatrixTypeName(std::optional<MatrixType> type, std::string_view name) : type(type), name(name) {}
};
/// In the words of snippets: "i8", "f8e4m3fn".
MatrixTypeName multiplicandNamed(Dtype dtype);
MatrixTypeName accumulatorNamed(Dtype dtype);

/// What is known of an instruction; what is left out may be anything.
struct MatrixQuery {
  MatrixFamily family;
  bool sparse = false, weightStationary = false;
  int ctas = 1;
  std::optional<std::string_view> kind{}; // empty: an instruction without
  std::optional<MatrixTypeName> a{}, b{}, c{}, d{};
  int64_t m = 0, n = 0, k = 0;        // of one instruction; 0: anything, as everywhere here
  int64_t productM = 0, productK = 0; // of several: multiples of M and of the largest K
  int maxBits = 0;                    // of a multiplicand
  int ptxIsa = 0;                     // the version, as MatrixInstruction::ptxIsa, that there is; 0: the newest
  int scaleCount = 0, scaleBlock = 0;
  std::optional<MatrixTypeName> scale{};
  bool inSnippetWords = false; // answers name types as snippets do, not as PTX does
};

enum class MatrixPart : uint8_t { Variant, Kind, A, B, C, D, M, N, K, Scale };

struct MatrixProblem {
  MatrixPart part;     // of the query, to which nothing fits
  std::string message; // a sentence with what there is instead
};

/// The rows that fit, one at least, the default first.
std::expected<std::vector<const MatrixInstruction *>, MatrixProblem> chooseMatrixInstructions(const MatrixQuery &query);

} // namespace lanescope::layouts
