// vprintf: the format and the argument buffer of each lane, written to Block::printed as C's printf would.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

namespace lanescope::core::emulator {

/// Handler of a call of vprintf. Local offsets: imm the result, list the format pointer, reconverge the arguments'.
Step printLanes(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
