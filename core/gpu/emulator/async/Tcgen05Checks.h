// What an operation of the tensor core may use: whose memories take part, where its operands lie, and what the checker
// says of them.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <array>

namespace lanescope::core::emulator {

/// The blocks whose memories an operation of a block uses: that one, or with `.cta_group::2` its pair, the even one
/// first.
struct TensorBlocks {
  std::array<Block *, 2> all{};
  uint32_t count = 1;
};
TensorBlocks tensorBlocksOf(Block &block);
/// Where there has to be a pair of blocks, it is there and both run; false after a fault.
bool checkTensorPair(Warp &warp, const Instr &i, uint32_t lane);
/// Operands are described by what there is, lie in what is allocated and, when the block is checked, are not in use.
/// Numbers the operation for the checker. False after a fault.
bool checkTcgen05(Warp &warp, const Instr &i, const Tcgen05Op &op);

inline constexpr uint32_t kShiftColumns = 8; // 32 bytes of a row, which tcgen05.shift moves

} // namespace lanescope::core::emulator
