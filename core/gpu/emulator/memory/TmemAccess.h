// Checks which cells of tensor memory an instruction may access (PTX ISA, "Tensor Memory Addressing", "Access
// restrictions"). These checks are always active, like the bounds checks of other memories.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <span>

namespace lanescope::core::emulator {

/// Gets the address that all lanes in `mask` must have in common. Returns false after a fault.
bool tmemAddress(Warp &warp, const Instr &i, uint32_t mask, const AddressRef &ref, uint32_t &out);
/// True if the cells exist in the block (a block of the cluster) and are allocated. `pair`: they must be allocated for
/// a pair of blocks. `what` names the accessing operand: "D of `tcgen05.mma…`". Returns false after a fault.
bool tmemAllocated(Warp &warp, const Instr &i, const Block &block, std::span<const CellBox> boxes,
                   std::string_view what, bool pair = false);

} // namespace lanescope::core::emulator
