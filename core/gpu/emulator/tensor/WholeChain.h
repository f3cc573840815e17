// wgmmas that follow one another into the same f32 accumulators, where all values are whole numbers of a common unit
// and no sum would be cut (TensorSum.h): the accumulators stay in the host's registers from the first step to the last.
//
//   ChainRows a; a.prepare(MatrixType::F16, rows, 16, false);               // 16 rows of 16 elements
//   ChainColumns b; b.prepare(MatrixType::F16, columns, 128, 16, false);    // 128 columns
//   ChainStep steps[] = {{&a, &b, true}, …};
//   if (isWholeChain(rule, steps))
//     addWholeChain(rule, steps, 0, 2, registers)   // of 16 columns; false: not so, nothing is written
//
// For hosts with AVX-512 alone; others have TensorSum's tiles, with the same results.
#pragma once

#include "core/gpu/emulator/tensor/TensorSum.h"

#include <span>

namespace lanescope::core::emulator {

/// A warp's 16 rows of A as numbers of 16 bits in units of 2^range.unit.
struct ChainRows {
  static constexpr uint32_t kMaxDepth = 32;
  TensorRange range;
  bool whole = false;
  uint32_t depth = 0;
  /// For every two k, of four rows after four, both numbers of each row as often as it has lanes.
  alignas(64) int16_t numbers[kTensorRows * kMaxDepth * 4];

  /// `values`: row after row, `depth` values of `type` each, a multiple of 8.
  void prepare(MatrixType type, const float *values, uint32_t depth);
};

/// Columns of B likewise.
struct ChainColumns {
  static constexpr uint32_t kMaxColumns = 256;
  TensorRange range;
  bool whole = false;
  /// Of eight columns after eight, for every two k: both numbers of each even column, then of each odd one.
  alignas(64) int16_t numbers[kMaxColumns * ChainRows::kMaxDepth];

  /// `values`: column after column; `byDepth`: of eight columns after eight, k by k.
  void prepare(MatrixType type, const float *values, uint32_t columns, uint32_t depth, bool byDepth);
};

struct ChainStep {
  const ChainRows *a = nullptr;
  const ChainColumns *b = nullptr;
  bool accumulate = true; // of the first step: else the sums begin at zero
};

/// Whether this host has what addWholeChain() needs, and all values are whole numbers that the steps add exactly to
/// accumulators that are none too large.
bool isWholeChain(const TensorSum &rule, std::span<const ChainStep> steps);

/// Adds all steps to the accumulators of the `group`-th eight columns of B, of `groups` 2 those of the next eight, too:
/// for each, registers 0 and 1 hold the even and odd columns of rows 0 to 7, 2 and 3 those of rows 8 to 15 (32 lanes
/// each, as of sumFragments()). False if an accumulator is too large or in between of the units on the way: nothing is
/// written then.
bool addWholeChain(const TensorSum &rule, std::span<const ChainStep> steps, uint32_t group, uint32_t groups,
                   float *const *registers);

} // namespace lanescope::core::emulator
