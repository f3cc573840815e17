// Checks what an operation of the tensor core may use: the blocks whose memories it uses, the places of its operands,
// and the order that the checker needs.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <array>

namespace lanescope::core::emulator {

/// The blocks whose memories an operation of a block uses: that block or, with `.cta_group::2`, its pair, the even one
/// first.
struct TensorBlocks {
  std::array<Block *, 2> all{};
  uint32_t count = 1;
};
TensorBlocks tensorBlocksOf(Block &block);
/// Checks that a pair of blocks exists and runs, if the instruction needs one. Returns false after a fault.
bool checkTensorPair(Warp &warp, const Instr &i, uint32_t lane);
/// Checks that the operands are described by valid descriptors, lie in allocated memory and, if the block has a
/// checker, are not in use. Numbers the operation for the checker. Returns false after a fault.
bool checkTcgen05(Warp &warp, const Instr &i, const Tcgen05Op &op);

inline constexpr uint32_t kShiftColumns = 8; // the 32 bytes of a row that tcgen05.shift moves

} // namespace lanescope::core::emulator
