// Settles what Phases suspects: would the kernel break if that one warp were late? It is run again so.
//
//   LANESCOPE_CHECK(settleLate(result, runs, suspected.late));   // a fault for each kind that does break it
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// Adds what a late warp breaks to a result without faults: a run that ends in a fault, or, where blocks cannot talk to
/// each other, gives other results. Nothing is known of runs that take too long.
Result<void> settleLate(RunResult &result, const RepeatedRun &runs, LateSuspects &suspects);

} // namespace lanescope::core::emulator
