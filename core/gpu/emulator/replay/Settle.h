// Decides what check/ can only suspect: a finding is a fault if a result depends on it. Replays in which memory holds,
// or loads return, something else show that.
//
//   if (endedAtRace(result) && LANESCOPE_TRY(endsAtDeadReads(runs, reads))) …   // the next run goes on after them
//   LANESCOPE_CHECK(settleRacing(result, counted, runs, racing, lanes));        // changes the grades of diagnostics
#pragma once

#include "core/gpu/emulator/replay/RacingSharedReads.h"
#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// True if a run ended at a race that may be by a read of shared memory.
bool endedAtRace(const RunResult &result);

/// True if a run has no fault except races of reads in loops, and nothing depends on their values. Then replays in
/// which they return something else execute as many instructions, give the same results, and leave the same in shared
/// memory. All later runs allow the races of `reads`.
Result<bool> endsAtDeadReads(RepeatedRun &runs, RacingSharedReads &reads);

/// Grades plain loads of global memory that race. They are notes if no result depends on their values: replays in which
/// they return something else, or an older value, give the same results by as many instructions, apart from rounds of
/// loops whose `atom.cas` notices the value. They are hazards if the results are the same for all values that were
/// there, and faults otherwise. Plain loads of what another lane of the warp writes (`lanes`) are graded likewise. If
/// the lanes execute in step, they are hazards and never faults.
Result<void> settleRacing(RunResult &result, const EmulatorStatistics &counted, const RepeatedRun &runs,
                          RacingReads reads, const RacingReads &lanes);

/// Gives loads that `atom.cas` verifies (check/Guesses.h) the kind of racing loads that no result depends on. Call it
/// after settleRacing(), which would grade them with the others.
void nameGuesses(RunResult &result);

/// Makes strong loads that may be stale reads faults if a result depends on them, unless other schedules alone give
/// other results.
Result<void> settleStale(RunResult &result, const RepeatedRun &runs, StaleReads &reads);

/// Makes reads of memory that nothing wrote faults if its content reaches a result: if runs with other content give
/// other results. An array that stores clock readings does not count: profilers copy their buffers whole.
Result<void> settleUnwritten(RunResult &result, const RepeatedRun &runs);

} // namespace lanescope::core::emulator
