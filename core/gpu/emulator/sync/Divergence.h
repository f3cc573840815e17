// How the lanes of a warp part, meet and exit.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Removes the lanes in `mask` from the current split: they have exited.
Step exitLanes(Warp &warp, uint32_t mask);
/// Removes the lanes in `mask` from the current split. They have a place elsewhere in the warp.
Step leaveSplit(Warp &warp, uint32_t mask);
/// Returns the number of a free split.
uint32_t newSplit(Warp &warp);
/// The lanes `taken` of the current split branch to instr.target.
Step branchLanes(Warp &warp, const Instr &instr, uint32_t taken);
/// Parts the current split in two sides. Both go on at instr.target and meet at instr.reconverge.
Step partLanes(Warp &warp, const Instr &instr, uint32_t ones);
/// The current split has reached its meeting point: its lanes join the split that waits there.
void mergeSplit(Warp &warp);

// Lanes that have left a loop may hold what the lanes inside wait for: a lock, or an arrival. The hardware lets every
// lane make progress. So when nothing else can happen, lanes that wait at a meeting point go on without the others:
//
//   if (holdsLanes(warp) && …) letLanesGo(warp);     // they go on; a lane that comes there later goes on, too
//   …                                                // an instruction for the whole warp faults: lanes are missing
//   if (awaitLanes(warp)) …                          // no fault yet: the split waits there for the other lanes

/// True if lanes wait at a meeting point for other lanes.
bool holdsLanes(const Warp &warp);
/// Lets these lanes go on. Returns false if there are none.
bool letLanesGo(Warp &warp);
/// The current split has faulted because other lanes of its warp are missing. If these may still come, without meeting
/// this split before, takes the fault back: the split waits or, if lanes waited here for it, tries again with them.
bool awaitLanes(Warp &warp);

} // namespace lanescope::core::emulator
