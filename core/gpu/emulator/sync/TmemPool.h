// Allocation of tensor memory (PTX ISA, "Tensorcore 5th Generation Instructions: tcgen05.alloc, tcgen05.dealloc,
// tcgen05.relinquish_alloc_permit"): by columns, the lowest that are free in a row. Who asks for more than there is
// sleeps until somebody gives some back. With `.cta_group::2` both blocks of a pair get the same columns, when a warp
// of each has asked.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// The other block of the pair; null: the cluster has none.
Block *pairOf(const Block &block);
/// Columns for the warp; Next: they begin at `first`; Blocked: the warp sleeps and has to ask again; or a fault.
Step allocateTmem(Warp &warp, const Instr &i, uint32_t columns, bool pair, uint32_t &first);
/// Gives back what begins at `address`; a fault when nothing of that size does.
Step freeTmem(Warp &warp, const Instr &i, uint32_t address, uint32_t columns, bool pair);
/// That are not allocated.
uint32_t freeColumns(const Block &block);
/// What a block that has ended has not given back is a fault: false.
bool reportLeaks(Block &block);

} // namespace lanescope::core::emulator
