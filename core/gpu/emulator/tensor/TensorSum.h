// The sums of Hopper's and Blackwell's tensor cores: wgmma, mma.sync and tcgen05.mma on floats of up to 32 bits.
// Blackwell's 4-bit floats are in ScaledSum.h.
//
// The sum of an accumulator and products is an addition of fixed-point numbers. Products are exact. The exponent of a
// product is the sum of its factors' exponents, whatever the significands are. A subnormal has the exponent of the
// smallest normal number. Let E be the largest exponent of the terms that are not zero. Each term is truncated towards
// zero to a multiple of 2^(E - fraction), and the sum is exact. The result is truncated towards zero to the
// accumulator's f32, or rounded to the nearest f16 (ties to even). Zero is +0, and NaN is canonical. Products beyond
// the range of f32 are not infinities. Block scales that are powers of two (kind::mxf8f6f4) are added to the exponents
// of products.
//
//   TensorRows rows(MatrixType::F16, values, 16);              // 16 rows of A with 16 elements each
//   TensorColumns columns;
//   columns.prepare(MatrixType::F16, right, 16);               // 8 columns of B: for each k, 8 elements
//   sumTile({.fraction = 25}, rows, 0, columns, 0, 16, sums);  // sums += rows 0 to 7 times the columns
//
// The model and its parameters are from Khattak and Mikaitis, "Accurate Models of NVIDIA Tensor Cores" (arXiv
// 2512.07004), and Xie et al., "MMA-Sim" (arXiv 2511.10909). Results equal those of an H200:
// tests/golden/tensor_sums.txt.
#pragma once

#include "core/gpu/emulator/tensor/MatrixTypes.h"

namespace lanescope::core::emulator {

struct TensorSum {
  int fraction = 25;   // bits kept below the largest exponent; at most 25
  bool narrow = false; // f32 results keep 14 bits of their significand
  bool half = false;   // the accumulators are f16

  /// The rule for a wgmma. A wgmma is one sum of this form. 8-bit floats keep fewer bits than other types.
  static TensorSum ofWgmma(MatrixType type, bool half) {
    bool bytes = bitsOf(type) == 8;
    return {bytes ? 13 : 25, bytes && !half, half};
  }
  /// The rule for a tcgen05.mma, which is one sum of this form for all types that this file covers.
  static TensorSum ofTcgen05(bool half) { return {.half = half}; }
};

/// kTensorDepth is the K of a sparse instruction, including the zeros that are not stored.
inline constexpr uint32_t kTileSide = 8, kTensorRows = 16, kTensorDepth = 64;

/// The range of the exponents of some finite numbers that are not zero. All of the numbers are multiples of 2^unit.
struct TensorRange {
  int lowest = 0, highest = 0, unit = 0;

  /// The range of some values of `type`. `least`, `most` and `all` are f32 bits without signs: the smallest value that
  /// is not zero, the largest value, and the bitwise or of all values.
  static TensorRange of(MatrixType type, uint32_t least, uint32_t most, uint32_t all);
  /// True if 16-bit numbers hold all values as multiples of 2^unit.
  bool isWhole() const;
};

/// True if the products of whole values are multiples of a unit which no sum of `depth` products has to truncate.
bool addsWhole(const TensorSum &rule, const TensorRange &a, const TensorRange &b, uint32_t depth);

/// Sixteen rows of A, prepared once and used with all columns.
class TensorRows {
public:
  /// `given`: 16 rows with `depth` values of `type` each. `depth` is a multiple of 8 and at most kTensorDepth. The
  /// values must stay valid until the last sum. `scales`, if any: 16 exponents of two, by which the values of the rows
  /// have already been multiplied.
  TensorRows(MatrixType type, const float *given, uint32_t depth, const int16_t *scales = nullptr);

private:
  friend struct TileSum;
  uint32_t depth, special = 0; // `special` has a bit for each row that contains an infinity or a NaN
  TensorRange range;
  const float *given, *finite;
  bool whole = false;          // 16-bit numbers hold all values as multiples of 2^range.unit
  mutable bool spread = false; // `values` and `exponents` are filled in; sums of whole numbers do not need them
  int16_t exponentOf[kTensorRows * kTensorDepth];
  /// Each element is repeated as often as a vector needs it. `values` holds, for two rows and each k, the first row's
  /// element 8 times and the second row's element 8 times; then the next two rows follow. `exponents` does the same for
  /// four rows at a time. `numbers` does it for two rows at a time and pairs of k.
  alignas(64) mutable float values[kTensorRows * kTensorDepth * kTileSide];
  alignas(64) mutable int16_t exponents[kTensorRows * kTensorDepth * kTileSide];
  alignas(64) int16_t numbers[kTensorRows * kTensorDepth * kTileSide];
  float replaced[kTensorRows * kTensorDepth]; // the values with 0 in place of infinities and NaNs, if there are any
};

/// Eight columns of B, prepared once and used with all rows.
class TensorColumns {
public:
  /// `given`: for each of the `depth` k, 8 values of `type`. They must stay valid until the last sum. `scales`, if any:
  /// 8 exponents of two.
  void prepare(MatrixType type, const float *given, uint32_t depth, const int16_t *scales = nullptr);

private:
  friend struct TileSum;
  uint32_t depth = 0, special = 0;
  TensorRange range;
  const float *given = nullptr;
  bool whole = false; // as in TensorRows
  alignas(16) int16_t exponents[kTensorDepth][kTileSide];
  alignas(32) int16_t numbers[kTensorDepth * kTileSide]; // for each pair of k, both numbers of each column
};

/// sums (8 rows of 8) += rows 8*half to 8*half + 7 of A times the columns, over begin <= k < end. This is one sum. At
/// most 32 of its products may be nonzero, 16 in each half. Accumulators of f16 are passed and returned as f32.
void sumTile(const TensorSum &rule, const TensorRows &rows, uint32_t half, const TensorColumns &columns, uint32_t begin,
             uint32_t end, float *sums);

/// Adds what sumTile() adds, over all k, to the f32 accumulators of a warp. Tile t has 8 rows (alternately the lower
/// and the upper ones) of the columns t / 2. Registers 2 t and 2 t + 1 hold its even and odd columns. Lane 4 r + c
/// holds the sums of row r and columns 2 c, 2 c + 1. `accumulate`: the sums begin with the accumulators, and otherwise
/// with zero.
void sumFragments(const TensorSum &rule, const TensorRows &rows, const TensorColumns *columns, uint32_t depth,
                  uint32_t tiles, bool accumulate, float *const *registers);

} // namespace lanescope::core::emulator
