// How lanes of a warp part, meet and leave.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Removes `mask` lanes from the current split: they have exited.
Step exitLanes(Warp &warp, uint32_t mask);
/// Removes `mask` lanes from the current split, which have a place elsewhere in the warp.
Step leaveSplit(Warp &warp, uint32_t mask);
/// The number of a split that is free.
uint32_t newSplit(Warp &warp);
/// A branch of `taken` lanes of the current split to instr.target.
Step branchLanes(Warp &warp, const Instr &instr, uint32_t taken);
/// Two sides of the current split that stand at the same place, instr.target, and meet at instr.reconverge.
Step partLanes(Warp &warp, const Instr &instr, uint32_t ones);
/// The current split stands at its meeting point: its lanes join the split that waits there.
void mergeSplit(Warp &warp);

// Lanes that have left a loop may hold what those inside wait for: a lock, an arrival. The hardware lets each of them
// get on some day, and so, when nothing else happens, do lanes that wait where their warp was to meet again:
//
//   if (holdsLanes(warp) && …) letLanesGo(warp);     // they go on, and who comes there later does too
//   …                                                // an instruction for the whole warp faults: too few lanes
//   if (awaitLanes(warp)) …                          // no fault yet: they wait there for the others

/// Whether lanes wait at a meeting point for others.
bool holdsLanes(const Warp &warp);
/// They go on; false when there are none.
bool letLanesGo(Warp &warp);
/// The current split has faulted for want of its warp's other lanes, and those may still come, by ways that do not meet
/// before: takes the fault back, and the split waits or, with lanes that waited here for it, tries again.
bool awaitLanes(Warp &warp);

} // namespace lanescope::core::emulator
