// How the lanes of a warp part, meet and exit.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// The lanes in `mask` exit: removes them from the current split.
Step exitLanes(Warp &warp, uint32_t mask);
/// Removes the lanes in `mask` from the current split. They already have a place elsewhere in the warp.
Step leaveSplit(Warp &warp, uint32_t mask);
/// Returns the number of a free split.
uint32_t newSplit(Warp &warp);
/// The lanes `taken` of the current split branch to instr.target.
Step branchLanes(Warp &warp, const Instr &instr, uint32_t taken);
/// Parts the current split in two. Both parts go on at instr.target and meet again at instr.reconverge.
Step partLanes(Warp &warp, const Instr &instr, uint32_t ones);
/// The current split has reached its meeting point: its lanes join the split that waits there.
void mergeSplit(Warp &warp);

// Lanes that have left a loop may hold what the lanes inside it wait for: a lock, or an arrival. The hardware lets
// every lane make progress. So if nothing else can happen, lanes that wait at a meeting point go on without the others:
//
//   if (holdsLanes(warp) && …) letLanesGo(warp);     // they go on; a lane that comes there later goes on, too
//   …                                                // an instruction for the whole warp faults: lanes are missing
//   if (awaitLanes(warp)) …                          // no fault yet: the split waits there for the other lanes

/// True if lanes wait at a meeting point for other lanes.
bool holdsLanes(const Warp &warp);
/// Lets these lanes go on. Returns false if there are none.
bool letLanesGo(Warp &warp);
/// The current split has faulted because other lanes of its warp are missing. If these lanes may still come without
/// meeting this split first, withdraws the fault and returns true. The split then waits. If the lanes already wait
/// here, the split repeats the instruction together with them.
bool awaitLanes(Warp &warp);

} // namespace lanescope::core::emulator
