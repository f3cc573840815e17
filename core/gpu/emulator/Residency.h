// The number of a kernel's blocks that the model keeps on a multiprocessor at the same time.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/kernel/Launch.h"

namespace lanescope::core::emulator {

/// The number of blocks that threads, shared memory and registers allow (core/gpu/kernel/Occupancy.h), but at most the
/// grid's blocks per multiprocessor. ptxas chooses the real number of registers. The model takes the number that the
/// PTX states, or else the most registers that are live at once in the PTX's order. The result is one for a kernel with
/// tensor memory, because several blocks would have to share that memory. It is also one for a kernel whose clusters
/// take over others, so that some clusters are left to take over.
uint32_t residentBlocksOf(const Program &program, const Launch &launch);

/// The most blocks that a multiprocessor can hold, by threads and shared memory. Registers count as if ptxas chose the
/// fewest possible.
uint32_t mostResidentBlocks(const Grid &grid);

/// Returns the error `launch` for a cooperative launch whose blocks cannot all be resident at once. The driver refuses
/// it, too.
Result<void> checkResidency(const Grid &grid, const Launch &launch);

/// The bytes per cycle of a multiprocessor's TMA and bulk copies. If the other multiprocessors copy, too, this is the
/// multiprocessor's share of the L2 cache's rate.
uint32_t copyBytesPerCycleOf(const Program &program, const Launch &launch);

} // namespace lanescope::core::emulator
