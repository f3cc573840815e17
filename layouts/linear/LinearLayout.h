// Layouts that are linear over F2: the bits of a place decide the element's coordinates, by exclusive or.
//
//   auto tile = identity1D(2, "register", "dim1") * identity1D(4, "lane", "dim1") * identity1D(8, "lane", "dim0");
//   tile.outputNames()     ->  {"dim1", "dim0"}                             // outputs in the order of their mention
//   tile.bases("lane")     ->  {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}}     // (dim1, dim0) of lanes 1, 2, 4, 8, 16
//   tile.apply({1, 5})     ->  {3, 1}     // register 1, lane 5 = 1 ^ 4: (1, 0) ^ (2, 0) ^ (0, 1)
//
// This is the layout of mma.m16n8's accumulator rows. Every size is a power of two. An input of size 2^k has k bases,
// the coordinates that its k bits add. A zero basis is a broadcast. The map goes from places to elements, because a
// place holds one element while an element may have many places. The class has the semantics of Triton's `LinearLayout`
// (include/triton/Tools/LinearLayout.h). If sizes are powers of two, CuTe's strides and swizzles are a special case;
// sizes such as 48 and padding are not linear.
#pragma once

#include "layouts/Shape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// A matrix over F2, for pictures. `rows` are output bits ("dim0 bit 2"), `columns` are input bits ("lane 4": the place
/// that the bit represents). at(r, c) is true if input bit c flips output bit r.
struct BitMatrix {
  std::vector<std::string> rows, columns;
  std::vector<uint8_t> entries; // row-major, 0 or 1
  bool at(size_t row, size_t column) const { return entries[row * columns.size() + column] != 0; }
};

class LinearLayout {
public:
  using Basis = std::vector<int32_t>; // one coordinate per output
  struct Input {
    std::string name;
    std::vector<Basis> bases; // one per bit, lowest first
    bool operator==(const Input &) const = default;
  };
  struct Output {
    std::string name;
    int32_t size; // a power of two
    bool operator==(const Output &) const = default;
  };
  /// The limit for input bits, and for output bits.
  static constexpr int kMaxBits = 48;

  /// The layout without inputs and outputs: the neutral element of the product.
  LinearLayout() = default;
  /// Errors: names that repeat or are empty; a size that is not a power of two or is above 2^30; a basis of another
  /// rank or outside its output's size; more than kMaxBits bits.
  static Result<LinearLayout> make(std::vector<Input> inputs, std::vector<Output> outputs);
  /// Like make(), but each output is as small as its bases allow, as in Triton's attributes.
  static Result<LinearLayout> fitting(std::vector<Input> inputs, std::vector<std::string> outputs);

  const std::vector<Input> &inputs() const { return inputs_; }
  const std::vector<Output> &outputs() const { return outputs_; }
  /// The position of an input or an output; -1 if there is none of that name.
  int inputIndex(std::string_view name) const;
  int outputIndex(std::string_view name) const;
  /// The bases of an input; empty for one that the layout lacks.
  const std::vector<Basis> &bases(std::string_view input) const;
  int inputBits(std::string_view name) const { return static_cast<int>(bases(name).size()); }
  int inputBits() const;
  int outputBits() const;
  /// Size of an output; 1 for one that the layout lacks.
  int32_t outputSize(std::string_view name) const;
  Shape outputShape() const;
  std::vector<std::string> outputNames() const;

  /// The coordinates of the element at a place; `place` has an index per input, below its size.
  std::vector<int32_t> apply(const std::vector<int32_t> &place) const;
  /// Applies `next` after this layout: this layout's outputs are `next`'s inputs, by name. Errors: names differ; an
  /// output is larger than the input that takes it.
  Result<LinearLayout> compose(const LinearLayout &next) const;
  /// The map from elements to places. Error: the layout is not a bijection; the message names the missing property.
  Result<LinearLayout> invert() const;
  /// A map g with layout(g(x)) = x that chooses the lowest place of each element. Error: some element has no place.
  Result<LinearLayout> pseudoInvert() const;
  /// This layout on the low bits and `other` on the high ones. Inputs and outputs of the same name are joined, and
  /// `other`'s coordinates are scaled by this layout's sizes. Error: too many bits.
  Result<LinearLayout> product(const LinearLayout &other) const;
  /// The layout with its outputs in another order. Error: the names are not the same.
  Result<LinearLayout> transposeOutputs(const std::vector<std::string> &names) const;
  /// The same map to outputs of other sizes, the last one fastest: rows and columns of a matrix of another shape.
  /// Error: another number of elements.
  Result<LinearLayout> reshapeOutputs(const std::vector<Output> &outputs) const;
  /// Keeps only some inputs and outputs, in the given order. Error: a name that the layout lacks.
  Result<LinearLayout> sublayout(const std::vector<std::string> &inputs, const std::vector<std::string> &outputs) const;

  /// Rank of the matrix.
  int rank() const;
  /// True if every element has a place.
  bool isSurjective() const { return rank() == outputBits(); }
  /// True if no two places hold the same element.
  bool isInjective() const { return rank() == inputBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }
  /// True if the layout is surjective and, without its zero bases, each basis is a power of two along one output and no
  /// two are equal. Triton's `#ttg.linear` requires this.
  bool isPermutation() const;

  /// The bases as bits of the outputs' row-major index (the last output lowest), inputs and bits in order.
  std::vector<uint64_t> flatBases() const;
  BitMatrix matrix() const;
  /// The text of Triton's `LinearLayout::toString`, without its leading line break; notation/LinearText reads it.
  std::string toString() const;
  bool operator==(const LinearLayout &) const = default;

  // For building layouts; sizes must be powers of two. Coordinates from 2^30 on become zero (a broadcast), as they
  // would once the layout is cut to any shape.

  /// Appends log2(size) bits to an input, which continue along `output` from its present size. Creates the input and
  /// the output if needed.
  void extend(std::string_view input, std::string_view output, int64_t size);
  /// The same with zero bases: a broadcast.
  void extendZeros(std::string_view input, std::string_view output, int64_t size);
  /// product() for bits that are known to fit.
  LinearLayout &operator*=(const LinearLayout &other);
  /// transposeOutputs() for names that are known to match.
  void orderOutputs(const std::vector<std::string> &names);
  std::vector<Basis> &mutableBases(std::string_view input);
  void setOutputSize(size_t output, int32_t size) { outputs_[output].size = size; }

private:
  size_t ensureInput(std::string_view name);
  size_t ensureOutput(std::string_view name);

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
};

LinearLayout identity1D(int64_t size, std::string_view input, std::string_view output);
LinearLayout operator*(LinearLayout a, const LinearLayout &b);

/// "dim0", "dim1", …
std::string standardName(size_t dimension);
std::vector<std::string> standardNames(size_t rank);

bool isPowerOfTwo(int64_t value);
/// log2 of a power of two.
int log2Exact(int64_t value);

} // namespace lanescope::layouts
