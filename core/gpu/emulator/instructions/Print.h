// Functions that the driver provides. vprintf formats each lane's arguments like C's printf and appends them to
// Block::printed; __assertfail ends the run (CUDA C++ Programming Guide, "Formatted Output", "Assertion").
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

namespace lanescope::core::emulator {

// Local offsets are relative to the frame whose address is in `a`, or to the entry's frame if there is none.

/// Handles a call of vprintf. Program::lists at `list`: the local offsets of format, arguments, result.
Step printLanes(Warp &warp, const Instr &i, uint32_t mask);
/// Handles a call of __assertfail. Program::lists at `list`: the local offsets of expression, file, line, function.
Step failAssertion(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
