// Names a barrier that ends a phase too early as the cause of the race that ended a run.
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// If the arrivals at an mbarrier explain the race that ended the run, makes the mbarrier the finding, and the race a
/// note of it (check/EarlyPhases.h). If the explaining arrival has not been made yet, runs the kernel again, past the
/// race.
Result<void> nameCause(RunResult &result, const RepeatedRun &runs, const LateSuspects &suspects);

} // namespace lanescope::core::emulator
