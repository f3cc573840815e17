// Functions that the driver links to: vprintf writes each lane's format and arguments to Block::printed as C's printf
// would;
// __assertfail ends the run (CUDA C++ Programming Guide, "Formatted Output", "Assertion").
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

namespace lanescope::core::emulator {

// Local offsets are in the frame whose address is in `a`, of the entry if there is none.

/// Handler of a call of vprintf. Program::lists at `list`: the local offsets of format, arguments, result.
Step printLanes(Warp &warp, const Instr &i, uint32_t mask);
/// Handler of a call of __assertfail. Program::lists at `list`: the local offsets of expression, file, line, function.
Step failAssertion(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
