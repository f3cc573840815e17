// Allocates tensor memory (PTX ISA, "Tensorcore 5th Generation Instructions: tcgen05.alloc, tcgen05.dealloc,
// tcgen05.relinquish_alloc_permit"). An allocation gets the lowest adjacent columns that are free. A warp that requests
// more than is free sleeps until another warp frees columns. With `.cta_group::2`, both blocks of a pair get the same
// columns, once a warp of each block has requested them.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// The other block of the pair; null if the cluster has none.
Block *pairOf(const Block &block);
/// Allocates columns for the warp. Next: the columns begin at `first`. Blocked: the warp sleeps and has to repeat the
/// request. Fault: the request is wrong.
Step allocateTmem(Warp &warp, const Instr &i, uint32_t columns, bool pair, uint32_t &first);
/// Frees the allocation that begins at `address`. Faults if no allocation of that size begins there.
Step freeTmem(Warp &warp, const Instr &i, uint32_t address, uint32_t columns, bool pair);
/// The number of columns that are not allocated.
uint32_t freeColumns(const Block &block);
/// Faults and returns false if a block that has ended has not freed all of its columns.
bool reportLeaks(Block &block);

} // namespace lanescope::core::emulator
