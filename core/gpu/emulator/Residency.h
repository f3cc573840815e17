// The number of a kernel's blocks that the model keeps on a multiprocessor at once.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/kernel/Launch.h"

namespace lanescope::core::emulator {

/// As many as the threads, shared memory and registers allow (core/gpu/kernel/Occupancy.h), but no more than the grid
/// has per multiprocessor. ptxas decides the real number of registers; the model takes the registers live at once in
/// the PTX's order, or the number that the PTX states. It is one for a kernel with tensor memory, which blocks would
/// share, and for one whose clusters take over others, so that some are left to take over.
uint32_t residentBlocksOf(const Program &program, const Launch &launch);

/// The most that a multiprocessor can hold whatever number of registers ptxas chooses: by threads, shared memory and
/// the fewest possible registers.
uint32_t mostResidentBlocks(const Grid &grid);

/// Error `launch`: a cooperative launch whose blocks cannot all be resident at once; the driver refuses it, too.
Result<void> checkResidency(const Grid &grid, const Launch &launch);

/// Bytes that each multiprocessor's TMA and bulk copies move per cycle: its share of the L2 cache's rate if the other
/// multiprocessors copy, too.
uint32_t copyBytesPerCycleOf(const Program &program, const Launch &launch);

} // namespace lanescope::core::emulator
