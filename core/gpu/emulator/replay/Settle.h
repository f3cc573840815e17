// Settles what check/ can only suspect: a finding is a fault where a result depends on it. Replays in which memory
// holds, or loads give, something else say so.
//
//   if (endedAtRace(result) && LANESCOPE_TRY(endsAtDeadReads(runs, reads))) …   // the next run goes on after such
//   reads LANESCOPE_CHECK(settleRacing(result, counted, runs, racing, lanes));        // changes the grades of its
//   diagnostics
#pragma once

#include "core/gpu/emulator/replay/RacingSharedReads.h"
#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// Whether a run ended at a race that may be of a read of shared memory.
bool endedAtRace(const RunResult &result);

/// Whether a run has no fault but races of reads in loops, and nothing depends on what they give: where they read
/// something else the same is executed with the same results, and blocks leave the same in shared memory. All runs from
/// then on allow the races of `reads`.
Result<bool> endsAtDeadReads(RepeatedRun &runs, RacingSharedReads &reads);

/// Plain loads of global memory that race are notes where no result depends on what they give: where runs in which they
/// read something else, or what was there before, give the same by as many instructions, but for the rounds of loops
/// whose `atom.cas` finds that out. They are hazards where that is so of values that were there, and faults else.
/// So are plain loads of what another lane of the warp writes (`lanes`); where the lanes execute in step, they are
/// hazards and no faults.
Result<void> settleRacing(RunResult &result, const EmulatorStatistics &counted, const RepeatedRun &runs,
                          RacingReads reads, const RacingReads &lanes);

/// Gives loads that `atom.cas` verifies (check/Guesses.h) the kind of racing loads that no result depends on. To be
/// called after settleRacing(), which would grade them with the others.
void nameGuesses(RunResult &result);

/// Gives loads that `atom.cas` verifies (check/Guesses.h) the kind of racing loads that no result depends on. To be
/// called after settleRacing(), which would grade them with the others.
void nameGuesses(RunResult &result);

/// Strong loads that may give what was there before are faults where a result depends on it; but not where other
/// schedules alone give other results.
Result<void> settleStale(RunResult &result, const RepeatedRun &runs, StaleReads &reads);

/// Reads of memory that nobody wrote are faults where its content comes to a result: where runs with other content give
/// others. An array that holds readings of clocks is none that anybody compares: profilers copy their buffers whole.
Result<void> settleUnwritten(RunResult &result, const RepeatedRun &runs);

} // namespace lanescope::core::emulator
