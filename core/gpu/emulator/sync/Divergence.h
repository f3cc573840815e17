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

} // namespace lanescope::core::emulator
