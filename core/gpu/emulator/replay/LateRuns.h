// Settles what Phases suspects: would the kernel break if that one warp were late? It is run again so.
//
//   LANESCOPE_CHECK(settleLate(result, runs, suspected.late));   // a fault for each kind that does break it
//   options.coverage->add(latePoints(suspected.late, grid));     // where lateness could matter, and what was tried
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

#include <vector>

namespace lanescope::core::emulator {

/// Adds what a late warp breaks to a result without faults: a run that ends in a fault, or, where blocks cannot talk to
/// each other, gives other results. Nothing is known of runs that take too long. Each suspect gets its trial; more of
/// them are tried where coverage is wanted.
Result<void> settleLate(RunResult &result, const RepeatedRun &runs, LateSuspects &suspects);

/// A point for each suspected place.
std::vector<CoveragePoint> latePoints(const LateSuspects &suspects, const Grid &grid);

} // namespace lanescope::core::emulator
