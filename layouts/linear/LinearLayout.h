// Layouts that are linear over F2: the bits of a place decide the element's coordinates, by exclusive or.
//
//   auto tile = identity1D(2, "register", "dim1") * identity1D(4, "lane", "dim1") * identity1D(8, "lane", "dim0");
//   tile.apply({1, 5})     ->  {3, 1}     // register 1 of lane 5 holds column 3 of row 1
//
// The class has the semantics of Triton's `LinearLayout` (include/triton/Tools/LinearLayout.h). The tutorial below
// builds the example by hand. tests/unit/layouts/LinearLayoutTest.cpp checks each of its steps.
//
// # Tutorial
//
// ## 1. Each bit of a place adds its own coordinates
//
// The 32 lanes of a warp hold an 8 x 8 tile, two elements each, as in the accumulator of mma.m16n8: register r of lane
// l holds the element in row l / 4 and column 2 * (l % 4) + r. Division and remainder by a power of two only select
// bits. So the coordinates of a place are a sum with one term for each bit that is set in the place's numbers:
//
//   bit of the place     register 1   lane 1   lane 2   lane 4   lane 8   lane 16
//   (column, row)          (1, 0)     (2, 0)   (4, 0)   (0, 1)   (0, 2)   (0, 4)
//
// Register 1 of lane 5 = 1 + 4 holds (1, 0) + (2, 0) + (0, 1) = (3, 1). The six pairs are the *bases*. They are the
// whole layout: 64 places need six of them. The inputs are named register and lane; the outputs are dim1 (columns) and
// dim0 (rows), in the order of their first mention:
//
//   tile.bases("register")  ->  {{1, 0}}
//   tile.bases("lane")      ->  {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}}
//   tile.outputNames()      ->  {"dim1", "dim0"}
//
// `identity1D(n, in, out)` counts along one output. The product puts its right side on the high bits: lane bits 0 and 1
// continue along dim1 after the register's bit, and lane bits 2 to 4 count along dim0. The whole accumulator has 16
// rows. Two more registers hold the lower eight:
//
//   auto accumulator = tile * identity1D(2, "register", "dim0");
//   accumulator.bases("register")  ->  {{1, 0}, {0, 8}}
//   accumulator.apply({3, 5})      ->  {3, 9}
//
// ## 2. The sum is an exclusive or, so swizzles are layouts, too
//
// In a 4 x 4 array in memory whose columns are swizzled, offset o holds row o / 4 and column (o % 4) ^ (o / 4). Offset
// bit 2 changes the row and flips the column's lowest bit; no sum of strides does this. With exclusive or, four bases
// suffice:
//
//   auto swizzled = *LinearLayout::make({{"offset", {{0, 1}, {0, 2}, {1, 1}, {2, 2}}}}, {{"row", 4}, {"col", 4}});
//   swizzled.apply({6})   ->  {1, 3}     // 6 = 4 ^ 2: (1, 1) ^ (0, 2)
//
// ## 3. The inverse says where an element is
//
// The map goes from places to elements, because a place holds one element while an element may have many places. If
// each element has exactly one, the layout has an inverse. Column 0 of the swizzled array is in offsets 0, 5, 10 and
// 15. They differ modulo 4, so in a memory of four banks all four rows can be read at once:
//
//   auto where = *swizzled.invert();
//   where.bases("row")     ->  {{5}, {10}}
//   where.apply({2, 0})    ->  {10}
//
// ## 4. A zero basis is a broadcast
//
// Eight lanes hold four rows; lanes 4 to 7 hold copies. Lane bit 2 adds nothing:
//
//   auto copies = identity1D(4, "lane", "dim0");
//   copies.extendZeros("lane", "dim0", 2);
//   copies.bases("lane")   ->  {{1}, {2}, {0}}
//   copies.apply({6})      ->  {2}, as for lane 2
//
// The matrix of bases has rank 2. That equals the number of output bits, so every row has a place (`isSurjective`). It
// is less than the three input bits, so some places hold the same row (not `isInjective`). `invert` is an error, which
// says that each element has 2 places. `pseudoInvert` chooses the lowest one: lane 2 for row 2.
//
// ## 5. Composition answers questions about two layouts
//
// Where does each lane read its part of the 8 x 8 tile if memory has it row by row? Register places map to elements,
// and the inverse of memory's layout maps elements to offsets:
//
//   auto memory = identity1D(8, "offset", "dim1") * identity1D(8, "offset", "dim0");
//   auto reads = *tile.compose(*memory.invert());
//   reads.bases("register")  ->  {{1}}
//   reads.bases("lane")      ->  {{2}, {4}, {8}, {16}, {32}}
//   reads.apply({1, 5})      ->  {11}    // row 1, column 3: 1 * 8 + 3
//
// The register's bit is the offset's lowest, so each lane can load its two elements as one vector.
//
// # Limits
//
// Every size is a power of two. An input of size 2^k has k bases. If sizes are powers of two, CuTe's strides and
// swizzles are a special case; sizes such as 48 and padding are not linear.
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
  /// The same map, but to outputs of other sizes, which number the elements with the last output fastest: the rows and
  /// columns of a matrix of another shape. Error: another number of elements.
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
  /// True if the layout is surjective and each basis that is not zero is a power of two along one output, different
  /// from all others. Triton's `#ttg.linear` requires this.
  bool isPermutation() const;

  /// The bases as bits of the outputs' row-major index, in which the last output has the lowest bits. They are in the
  /// order of the inputs and their bits.
  std::vector<uint64_t> flatBases() const;
  BitMatrix matrix() const;
  /// The text of Triton's `LinearLayout::toString`, without its leading line break; notation/LinearText reads it.
  std::string toString() const;
  bool operator==(const LinearLayout &) const = default;

  // For building layouts; sizes must be powers of two. Coordinates from 2^30 on become zero (a broadcast), because a
  // later cut to any shape would make them zero.

  /// Appends log2(size) bits to an input, which continue along `output` from its present size. Creates the input and
  /// the output if needed.
  void extend(std::string_view input, std::string_view output, int64_t size);
  /// Appends log2(size) zero bases to an input: a broadcast.
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

/// The name of an output: "dim0", "dim1", ….
std::string standardName(size_t dimension);
std::vector<std::string> standardNames(size_t rank);

bool isPowerOfTwo(int64_t value);
/// log2 of a power of two.
int log2Exact(int64_t value);

} // namespace lanescope::layouts
