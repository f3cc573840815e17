// The table of NVIDIA's matrix instructions: the types that they multiply and sum, and their sizes. All parts that deal
// with matrix products use it (names of fragments, snippets, verifiers, lowering, the emulator) and add a source place
// to its errors.
//
//   auto rows = chooseMatrixInstructions({.family = MatrixFamily::Wgmma, .a = MatrixType::S8, .n = 40});
//   rows.error().message  ->  "`wgmma` of `s8` has N = 8, 24 or a multiple of 16 up to 256, not 40"
//   rows.error().part     ->  MatrixPart::N
//
//   with n = 48: rows->front()->depths()  ->  {32}, rows->front()->outputs  ->  {S32}
//
// A row describes one instruction. An operation of several instructions (M = 128 by two `wgmma`) asks for the sizes of
// one. Not here: the architectures that have an instruction (core/gpu/kernel/GpuTarget.h), and the places of elements
// (OperandFormulas.h, TmemOperands.h).
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

/// The sizes of `m16n8k16`; k is 0 if it was left out.
struct Mnk {
  int64_t m = 0, n = 0, k = 0;
  bool operator==(const Mnk &) const = default;
};
/// The text "m16n8k16" for the sizes, and its inverse.
std::string shapeText(const Mnk &shape);
std::optional<Mnk> readShape(std::string_view part);

/// A list of at most `Max` values, in the order of a table's cell.
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

/// The allowed sizes of one dimension: some listed sizes, and multiples of `step` up to `most`.
struct SizeRule {
  FewOf<int64_t, 3> listed;
  int64_t step = 0, most = 0;

  constexpr bool allows(int64_t size) const {
    return listed.contains(size) || (step > 0 && size > 0 && size <= most && size % step == 0);
  }
  /// The smallest allowed size. Every other allowed size is a multiple of it.
  constexpr int64_t smallest() const { return listed.empty() ? step : listed.front(); }
  /// The rule in words: "64 or 128", "8, 24 or a multiple of 16 up to 256".
  std::string words() const;
};

/// Scales for blocks of A's rows and of B's columns. There are `count` scales along K, each for `block` elements of a
/// dense product.
struct BlockScale {
  int count = 0, block = 0;
  MatrixType type = MatrixType::UE8M0;
  int ptxIsa = 0; // the first version of PTX that has it; see MatrixInstruction::ptxIsa
};

struct MatrixQuery;

struct MatrixInstruction {
  MatrixFamily family = MatrixFamily::Mma;
  std::string_view kind{};        // the `.kind::`; empty if the instruction has none
  bool sparse = false;            // half of A's elements are zero and not stored
  int ctas = 1;                   // tcgen05: CTAs that work together; M counts the rows of all of them
  bool weightStationary = false;  // tcgen05: `.ws`
  FewOf<MatrixType, 5> inputs{};  // the types that A and B may each have
  FewOf<MatrixType, 2> outputs{}; // the types of C and D, the default first
  SizeRule rows{}, columns{};     // M, N
  FewOf<int, 3> depthBits{};      // bits per row of A, counting the elements that a sparse A leaves out
  int container = 0;              // bits per element in registers and memory, if wider than the value
  FewOf<BlockScale, 3> scales{};  // the default first; empty: no block scales
  bool mixesSums = false;         // D may be f32 with C of f16; else C has D's type
  bool saturates = false;         // has `.satfinite` for integers
  bool negates = false;           // takes the signs of A and B as operands (tcgen05: in its descriptor)
  bool transposes = false;        // also takes A and B with M and N as the faster dimension
  int ptxIsa = 0;                 // ten times the ISA version that it needs; 0: at most 8.6

  /// Bits per stored element of A and B.
  int elementBits() const { return container ? container : bitsOf(inputs.front()); }
  /// K in elements; the first is the default (tcgen05) or the smallest.
  FewOf<int64_t, 3> depths() const;
  /// The first scale with the count, block and type of the query; nullopt if there is none.
  std::optional<BlockScale> scale(const MatrixQuery &query) const;
};

/// All instructions, in the ISA's order.
const std::vector<MatrixInstruction> &matrixInstructions();

/// A type by the name that the caller writes.
struct MatrixTypeName {
  std::optional<MatrixType> type; // nullopt for a type that no instruction has
  std::string_view name;

  MatrixTypeName(MatrixType type) : type(type), name(ptxName(type)) {}
  constexpr MatrixTypeName(std::optional<MatrixType> type, std::string_view name) : type(type), name(name) {}
};
/// The type by its name in snippets: "i8", "f8e4m3fn".
MatrixTypeName multiplicandNamed(Dtype dtype);
MatrixTypeName accumulatorNamed(Dtype dtype);

/// The known facts about an instruction. An absent fact may have any value.
struct MatrixQuery {
  MatrixFamily family;
  bool sparse = false, weightStationary = false;
  int ctas = 1;
  std::optional<std::string_view> kind{}; // empty: an instruction without a kind
  std::optional<MatrixTypeName> a{}, b{}, c{}, d{};
  int64_t m = 0, n = 0, k = 0; // sizes of one instruction; 0: any, here and below
  /// Sizes of a product that several instructions compute: multiples of M and of the largest K.
  int64_t productM = 0, productK = 0;
  int maxBits = 0; // the most bits of a multiplicand
  int ptxIsa = 0;  // the available version, like MatrixInstruction::ptxIsa; 0: the newest
  int scaleCount = 0, scaleBlock = 0;
  std::optional<MatrixTypeName> scale{};
  bool inSnippetWords = false; // errors name types as snippets do, not as PTX does
};

enum class MatrixPart : uint8_t { Variant, Kind, A, B, C, D, M, N, K, Scale };

struct MatrixProblem {
  MatrixPart part;     // the part of the query that nothing fits
  std::string message; // a sentence that lists the alternatives
};

/// The rows that fit, at least one, the default first.
std::expected<std::vector<const MatrixInstruction *>, MatrixProblem> chooseMatrixInstructions(const MatrixQuery &query);

} // namespace lanescope::layouts
