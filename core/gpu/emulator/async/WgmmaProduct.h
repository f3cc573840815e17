// The arithmetic of wgmmas. For each warp, 16 rows of A times N columns of B are added to its registers.
//
//   multiply(warps, ops);   // the warps of a warpgroup, which have issued the same operations
//
// The four warps of a warpgroup use the columns of one descriptor, and the next blocks often use them, too. The columns
// are prepared once and reused while their bytes stay the same. Consecutive operations with the same accumulators are
// added together if all values are whole numbers (tensor/WholeChain.h).
#pragma once

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/tensor/WgmmaVariant.h"

#include <span>

namespace lanescope::core::emulator {

inline constexpr uint32_t kRowBytes = 32;       // bytes of K in a row, for every type
inline constexpr uint32_t kMaxColumnBytes = 64; // bytes of K in a column of a sparse product
inline constexpr uint32_t kMaxColumns = 256, kMaxDepth = 32;

/// For a sparse A, finds the positions along K of the elements that a warp's 16 rows store. Returns false if the
/// metadata of row `badRow` are invalid.
bool positionsOf(Warp &warp, const Instr &i, const WgmmaVariant &v, uint8_t *out, uint32_t &badRow);

/// Reads the operands in their current state and adds the products, one operation after another. Floats are added as
/// the tensor cores add them (TensorSum.h), and integers exactly. `warps` belong to one warpgroup.
void multiply(std::span<Warp *const> warps, std::span<const WgmmaOp> ops);

} // namespace lanescope::core::emulator
