// Calls of device functions. Lanes that call a function leave their split and run the function in a new split. The old
// split waits after the call, as at a divergent branch. Each lane returns separately. A frame in local memory holds
// what the function declares there. Registers belong to the function. A function that may call itself again saves the
// caller's registers at a call.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Lanes of the current split call a routine. i.imm is the index of the Call. Returns Step::Fault if the stack is full.
Step callLanes(Warp &warp, const Instr &i, uint32_t mask, uint32_t routine);
/// The lanes return from the routine i.imm. For the entry, they exit.
Step returnLanes(Warp &warp, const Instr &i, uint32_t mask);
/// Makes local memory `bytes` long for each lane. Returns false after a fault.
bool growLocal(Warp &warp, const Instr &i, uint64_t bytes, uint32_t lane);

} // namespace lanescope::core::emulator
