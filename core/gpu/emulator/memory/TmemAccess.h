// Checks addresses in tensor memory: what an instruction may touch there (PTX ISA, "Tensor Memory Addressing", "Access
// restrictions"). Always active, as for other memories' bounds.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <span>

namespace lanescope::core::emulator {

/// The address that all lanes in `mask` give. Returns false after a fault.
bool tmemAddress(Warp &warp, const Instr &i, uint32_t mask, const AddressRef &ref, uint32_t &out);
/// True if the cells exist in the block (one of the cluster's) and are allocated; with `pair`, for a pair of blocks.
/// `what` names the accessing operand: "D of `tcgen05.mma…`". Returns false after a fault.
bool tmemAllocated(Warp &warp, const Instr &i, const Block &block, std::span<const CellBox> boxes,
                   std::string_view what, bool pair = false);

} // namespace lanescope::core::emulator
