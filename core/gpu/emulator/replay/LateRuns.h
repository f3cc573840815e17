// Confirms or drops a suspicion of Phases that the kernel breaks if one warp is late: runs the kernel again with that
// warp late.
//
//   LANESCOPE_CHECK(settleLate(result, runs, suspected.late));   // adds a fault for each kind that does break it
//   options.coverage->add(latePoints(suspected.late, grid));     // where lateness could matter, and what was tried
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

#include <vector>

namespace lanescope::core::emulator {

/// Adds faults for late warps to a result without faults. A late warp breaks the kernel if the run with it ends in a
/// fault, or if its results differ although blocks cannot communicate. A run that exceeds its time limit proves
/// nothing. There is one run per suspicion, up to a limit, which is higher if coverage is requested.
Result<void> settleLate(RunResult &result, const RepeatedRun &runs, LateSuspects &suspects);

/// A coverage point for each suspected place.
std::vector<CoveragePoint> latePoints(const LateSuspects &suspects, const Grid &grid);

} // namespace lanescope::core::emulator
