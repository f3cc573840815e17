// What a run has found and only its values can decide about: whether a result depends on it, runs say in which memory
// holds something else.
//
//   if (endedAtRace(result) && LANESCOPE_TRY(endsAtDeadReads(runs, reads))) …      // a run that goes on behind them
//   LANESCOPE_CHECK(judgeRacing(result, counted, runs, racing));                   // changes its diagnostics
#pragma once

#include "core/gpu/emulator/RacingSharedReads.h"
#include "core/gpu/emulator/RepeatedRun.h"

namespace lanescope::core::emulator {

/// Whether a run ended at a race that may be of a read of shared memory.
bool endedAtRace(const RunResult &result);

/// Whether a run has no fault but races of reads in loops, and nothing depends on what they give: where they read
/// something else the same is executed with the same results. They are in `reads` then.
Result<bool> endsAtDeadReads(const RepeatedRun &runs, RacingSharedReads &reads);

/// Plain loads of global memory that race are notes where no result depends on what they give: where runs in which they
/// read something else, or what was there before, give the same by as many instructions, but for the rounds of loops
/// whose `atom.cas` finds that out. They are hazards where that is so of values that were there, and faults else.
Result<void> judgeRacing(RunResult &result, const EmulatorStatistics &counted, const RepeatedRun &runs,
                         const RacingReads &reads);

/// Strong loads that may give what was there before are faults where a result depends on it; but not where other
/// schedules alone give other results.
Result<void> judgeStale(RunResult &result, const RepeatedRun &runs, StaleReads &reads);

/// Reads of memory that nobody wrote are faults where its content comes to a result: where runs with other content give
/// others. An array that holds readings of clocks is none that anybody compares: profilers copy their buffers whole.
Result<void> judgeUnwritten(RunResult &result, const RepeatedRun &runs);

} // namespace lanescope::core::emulator
