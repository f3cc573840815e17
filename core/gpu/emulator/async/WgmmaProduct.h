// The arithmetic of one warp's part of a wgmma: 16 rows of A, given packed, times N columns of B, added to registers.
//
//   Columns b = readColumns(block, SharedMatrix(op.b, v.transposeB), v);   // 32 bytes of K for each column
//   addProduct(warp, op, v, rows, b);
//
// Columns of one descriptor are used by the four warps of a warpgroup, and often by the blocks that come next: what
// they hold is widened to f32 once and found again as long as the bytes are the same.
#pragma once

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/tensor/SharedMatrix.h"
#include "core/gpu/emulator/tensor/TensorSum.h"
#include "core/gpu/emulator/tensor/WgmmaVariant.h"

namespace lanescope::core::emulator {

inline constexpr uint32_t kRowBytes = 32;       // of K, in every type
inline constexpr uint32_t kMaxColumnBytes = 64; // of K of a sparse product
inline constexpr uint32_t kMaxColumns = 256, kMaxDepth = 32;

/// Packed rows: `bytes` (32, 64 of lines along K) of K for each of `count` rows (columns) of M (N) from `first`. The
/// extent is known to lie in shared memory.
void readRows(const Block &block, SharedMatrix matrix, uint32_t first, uint32_t count, uint8_t *out,
              uint32_t bytes = kRowBytes);

/// The operand B: `bytes` packed like readRows(); of floats instead `prepared`, in blocks of 8 columns. Good until the
/// thread's next call.
struct Columns {
  const uint8_t *bytes = nullptr;
  const TensorColumns *prepared = nullptr;
  const uint8_t *positions = nullptr; // K of each element that A's 16 rows store, where it is sparse
};
Columns readColumns(const Block &block, const SharedMatrix &matrix, const WgmmaVariant &v);

/// `rows`: 16 packed rows of A. Floats are added as the tensor cores do (TensorSum.h).
void addProduct(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const Columns &b);

} // namespace lanescope::core::emulator
