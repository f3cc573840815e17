// Calls of device functions. The lanes that call leave their split, which waits after the call as at a divergent
// branch, and run the function in a split of their own. Each lane returns by itself. A frame in local memory holds what
// the function declares there. Registers belong to the function; a function that may call itself again saves the
// caller's registers at a call.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Lanes of the current split call a routine; i.imm is the number of its Call. Step::Fault if the stack is full.
Step callLanes(Warp &warp, const Instr &i, uint32_t mask, uint32_t routine);
/// The lanes return from the routine in i.imm, from the entry that they leave.
Step returnLanes(Warp &warp, const Instr &i, uint32_t mask);
/// Makes local memory `bytes` long for each lane. Returns false after a fault.
bool growLocal(Warp &warp, const Instr &i, uint64_t bytes, uint32_t lane);

} // namespace lanescope::core::emulator
