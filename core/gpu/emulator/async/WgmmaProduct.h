// The arithmetic of wgmmas: for each warp, 16 rows of A times N columns of B, added to its registers.
//
//   multiply(warps, ops);   // the warps of a warpgroup, which have issued the same operations
//
// The four warps of a warpgroup, and often the next blocks, use the columns of one descriptor. They are made ready once
// and reused while their bytes stay the same. Consecutive operations into the same accumulators are added at once if
// all values are whole numbers (tensor/WholeChain.h).
#pragma once

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/tensor/WgmmaVariant.h"

#include <span>

namespace lanescope::core::emulator {

inline constexpr uint32_t kRowBytes = 32;       // bytes of K in a row, for every type
inline constexpr uint32_t kMaxColumnBytes = 64; // bytes of K in a column of a sparse product
inline constexpr uint32_t kMaxColumns = 256, kMaxDepth = 32;

/// For a sparse A, finds the positions along K of the elements that a warp's 16 rows store. Returns false if the
/// metadata of row `badRow` have no meaning.
bool positionsOf(Warp &warp, const Instr &i, const WgmmaVariant &v, uint8_t *out, uint32_t &badRow);

/// Reads the operands as they are now and adds the products, operation by operation. Floats are added as the tensor
/// cores do (TensorSum.h), integers exactly. `warps` belong to one warpgroup.
void multiply(std::span<Warp *const> warps, std::span<const WgmmaOp> ops);

} // namespace lanescope::core::emulator
