// Adds consecutive wgmmas with the same f32 accumulators if all values are whole numbers of a common unit and no sum
// has to truncate them (TensorSum.h). The accumulators stay in the host's registers from the first step to the last.
//
//   ChainRows a; a.prepare(MatrixType::F16, rows, 16, false);               // 16 rows of 16 elements
//   ChainColumns b; b.prepare(MatrixType::F16, columns, 128, 16, false);    // 128 columns
//   ChainStep steps[] = {{&a, &b, true}, …};
//   if (isWholeChain(rule, steps))
//     addWholeChain(rule, steps, 0, 2, registers)   // 16 columns; false if not possible: nothing is written
//
// Only for hosts with AVX-512. Other hosts use TensorSum's tiles, with the same results.
#pragma once

#include "core/gpu/emulator/tensor/TensorSum.h"

#include <span>

namespace lanescope::core::emulator {

/// A warp's 16 rows of A as 16-bit numbers in units of 2^range.unit.
struct ChainRows {
  static constexpr uint32_t kMaxDepth = 32;
  TensorRange range;
  bool whole = false;
  uint32_t depth = 0;
  /// Four rows at a time, for each pair of k: both numbers of each row, repeated for each lane that the row has.
  alignas(64) int16_t numbers[kTensorRows * kMaxDepth * 4];

  /// `values`: one row after another, with `depth` values of `type` each. `depth` is a multiple of 8.
  void prepare(MatrixType type, const float *values, uint32_t depth);
};

/// Columns of B, in the same form as the rows.
struct ChainColumns {
  static constexpr uint32_t kMaxColumns = 256;
  TensorRange range;
  bool whole = false;
  /// Eight columns at a time, for each pair of k: both numbers of each even column, then both numbers of each odd
  /// column.
  alignas(64) int16_t numbers[kMaxColumns * ChainRows::kMaxDepth];

  /// `values`: one column after another or, with `byDepth`, eight columns at a time and one k after another.
  void prepare(MatrixType type, const float *values, uint32_t columns, uint32_t depth, bool byDepth);
};

struct ChainStep {
  const ChainRows *a = nullptr;
  const ChainColumns *b = nullptr;
  bool accumulate = true; // only for the first step; false: the sums begin with zero
};

/// True if this host has the instructions for addWholeChain(), all values are whole numbers, and the steps add them
/// exactly to accumulators that are not too large.
bool isWholeChain(const TensorSum &rule, std::span<const ChainStep> steps);

/// Adds all steps to the accumulators of eight columns of B, with the index `group`; if `groups` is 2, also to those of
/// the next eight columns. For each group, registers 0 and 1 hold the even and odd columns of rows 0 to 7, and
/// registers 2 and 3 those of rows 8 to 15 (32 lanes each, as in sumFragments()). Returns false and writes nothing if
/// an accumulator becomes too large or is no multiple of the unit.
bool addWholeChain(const TensorSum &rule, std::span<const ChainStep> steps, uint32_t group, uint32_t groups,
                   float *const *registers);

} // namespace lanescope::core::emulator
