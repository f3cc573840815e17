// How many of a kernel's blocks the model has on a multiprocessor at once.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/kernel/Launch.h"

namespace lanescope::core::emulator {

/// As many as its threads, shared memory and registers allow (core/gpu/kernel/Occupancy.h), but no more than the grid
/// has for each. ptxas decides on registers; here it is what is live at once in the PTX's order, or what the PTX says
/// of them. One of a kernel with tensor memory, which blocks would share, or whose clusters take over others: there
/// is to be something to take over.
uint32_t residentBlocksOf(const Program &program, const Launch &launch);

/// The most that a multiprocessor can have at once whatever ptxas decides on registers: by threads, shared memory and
/// as few registers as there can be.
uint32_t mostResidentBlocks(const Grid &grid);

/// Error `launch`: a cooperative launch whose blocks cannot all be there at once; the driver refuses it, too.
Result<void> checkResidency(const Grid &grid, const Launch &launch);

/// Bytes that TMA and bulk copies move for each multiprocessor a cycle: its part of what the L2 cache gives, where
/// others take theirs.
uint32_t copyBytesPerCycleOf(const Program &program, const Launch &launch);

} // namespace lanescope::core::emulator
