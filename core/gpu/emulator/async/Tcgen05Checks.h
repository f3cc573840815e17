// Checks what an operation of the tensor core may use: the blocks whose memories it uses, the places of its operands,
// and the order that the checker requires.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <array>

namespace lanescope::core::emulator {

/// The blocks whose memories an operation uses: the issuing block or, with `.cta_group::2`, both blocks of its pair.
/// The even block comes first.
struct TensorBlocks {
  std::array<Block *, 2> all{};
  uint32_t count = 1;
};
TensorBlocks tensorBlocksOf(Block &block);
/// Checks that a pair of blocks exists and runs, if the instruction needs one. Returns false after a fault.
bool checkTensorPair(Warp &warp, const Instr &i, uint32_t lane);
/// Checks that the operands have valid descriptors and lie in allocated memory. If the block has a checker, also checks
/// that the operands are not in use, and numbers the operation. Returns false after a fault.
bool checkTcgen05(Warp &warp, const Instr &i, const Tcgen05Op &op);

inline constexpr uint32_t kShiftColumns = 8; // the columns of the 32 bytes per row that tcgen05.shift moves

} // namespace lanescope::core::emulator
