// Calls of device functions. The lanes that call leave their split waiting behind the call, as at a divergent branch,
// and run the function in a split of their own; each returns by itself. A frame in local memory holds what the function
// declares there; registers are the function's own, and a call from one that may come back to itself keeps the
// caller's.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Lanes of the current split call a routine; `i` has the number of its Call in imm. Step::Fault: the stack is full.
Step callLanes(Warp &warp, const Instr &i, uint32_t mask, uint32_t routine);
/// They return from the routine in i.imm, from the entry they exit.
Step returnLanes(Warp &warp, const Instr &i, uint32_t mask);
/// Local memory up to `bytes` a lane; false after a fault.
bool growLocal(Warp &warp, const Instr &i, uint64_t bytes, uint32_t lane);

} // namespace lanescope::core::emulator
