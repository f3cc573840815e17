// Addresses in tensor memory: what an instruction may touch there (PTX ISA, "Tensor Memory Addressing", "Access
// restrictions"). Checked always, as other memories' bounds are.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <span>

namespace lanescope::core::emulator {

/// The address that all lanes in `mask` give; false after a fault.
bool tmemAddress(Warp &warp, const Instr &i, uint32_t mask, const AddressRef &ref, uint32_t &out);
/// Whether the cells exist in the block (one of the cluster's) and somebody has allocated them; with
/// `pair` for a pair of blocks. `what` touches them: "D of `tcgen05.mma…`". False after a fault.
bool tmemAllocated(Warp &warp, const Instr &i, const Block &block, std::span<const CellBox> boxes,
                   std::string_view what, bool pair = false);

} // namespace lanescope::core::emulator
