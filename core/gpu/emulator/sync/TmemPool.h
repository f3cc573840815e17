// Allocates tensor memory (PTX ISA, "Tensorcore 5th Generation Instructions: tcgen05.alloc, tcgen05.dealloc,
// tcgen05.relinquish_alloc_permit"). An allocation gets the lowest free columns that are adjacent. A warp that asks for
// more than is free sleeps until another warp frees some. With `.cta_group::2`, both blocks of a pair get the same
// columns after a warp of each has asked.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// The other block of the pair; null if the cluster has none.
Block *pairOf(const Block &block);
/// Allocates columns for the warp. Next: they begin at `first`. Blocked: the warp sleeps and has to ask again. Or a
/// fault.
Step allocateTmem(Warp &warp, const Instr &i, uint32_t columns, bool pair, uint32_t &first);
/// Frees the allocation that begins at `address`. Faults if none of that size begins there.
Step freeTmem(Warp &warp, const Instr &i, uint32_t address, uint32_t columns, bool pair);
/// The number of columns that are not allocated.
uint32_t freeColumns(const Block &block);
/// Faults and returns false if a block that has ended has not freed all of its columns.
bool reportLeaks(Block &block);

} // namespace lanescope::core::emulator
