// The arithmetic of wgmmas: of each warp 16 rows of A times N columns of B, added to its registers.
//
//   multiply(warps, ops);   // the warps of a warpgroup, which have issued the same operations
//
// Columns of one descriptor are used by the four warps of a warpgroup, and often by the blocks that come next: they are
// made ready once and found again as long as the bytes are the same. Operations that follow one another into the same
// accumulators are added at once where all values are whole numbers (tensor/WholeChain.h).
#pragma once

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/tensor/WgmmaVariant.h"

#include <span>

namespace lanescope::core::emulator {

inline constexpr uint32_t kRowBytes = 32;       // of K, in every type
inline constexpr uint32_t kMaxColumnBytes = 64; // of K of a sparse product
inline constexpr uint32_t kMaxColumns = 256, kMaxDepth = 32;

/// Where the elements that a warp's 16 rows store lie along K, of a sparse A. False where the metadata have no meaning,
/// at `badRow`.
bool positionsOf(Warp &warp, const Instr &i, const WgmmaVariant &v, uint8_t *out, uint32_t &badRow);

/// Reads the operands as they are now and adds the products, operation after operation. Floats are added as the tensor
/// cores do (TensorSum.h); integers exactly. `warps` are of one warpgroup.
void multiply(std::span<Warp *const> warps, std::span<const WgmmaOp> ops);

} // namespace lanescope::core::emulator
