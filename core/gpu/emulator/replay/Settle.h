// Grades what check/ can only suspect. A finding is a fault if a result depends on it. Replays show that: in them,
// memory holds other values, or loads return other values.
//
//   if (endedAtRace(result) && LANESCOPE_TRY(endsAtDeadReads(runs, reads))) …   // the next run goes on after them
//   LANESCOPE_CHECK(settleRacing(result, counted, runs, racing, lanes));        // changes the grades of diagnostics
#pragma once

#include "core/gpu/emulator/replay/RacingSharedReads.h"
#include "core/gpu/emulator/replay/RepeatedRun.h"

#include <vector>

namespace lanescope::core::emulator {

/// True if a run ended at a race that may come from a read of shared memory.
bool endedAtRace(const RunResult &result);

/// True if a run has no fault except races of reads in loops, and nothing depends on the values of these reads. In that
/// case, replays in which the reads return other values execute equally many instructions, give the same results, and
/// leave the same contents in shared memory. All later runs allow the races of `reads`.
Result<bool> endsAtDeadReads(RepeatedRun &runs, RacingSharedReads &reads);

/// Grades racing plain loads of global memory by replays.
/// - A load is a note if no result depends on its value: replays in which it returns an arbitrary or an older value
///   give the same results and execute equally many instructions. Further rounds of loops whose `atom.cas` notices the
///   value do not count.
/// - It is a hazard if the results are the same for each value that the place held, and a fault otherwise.
/// - Plain loads of what another lane of the warp writes (`lanes`) are graded in the same way. If the lanes execute in
///   step, such a load is at most a hazard.
Result<void> settleRacing(RunResult &result, const EmulatorStatistics &counted, const RepeatedRun &runs,
                          RacingReads reads, const RacingReads &lanes);

/// Gives a load that `atom.cas` verifies (check/Guesses.h) the kind of racing loads on which no result depends. Call
/// this after settleRacing(), which would otherwise grade it with the others.
void nameGuesses(RunResult &result);

/// Makes a strong load that may be a stale read a fault if a result depends on it. If another schedule alone changes
/// the results, the load is no fault.
Result<void> settleStale(RunResult &result, const RepeatedRun &runs, StaleReads &reads);

/// Finds the outputs that another schedule changes.
Result<std::vector<bool>> varyingOutputs(const RunResult &result, const RepeatedRun &runs);

/// Makes a read of memory that nothing wrote a fault if the memory's content reaches a result, that is, if runs with
/// other content give other results. An array that stores clock readings does not count, because profilers copy their
/// buffers as a whole.
Result<void> settleUnwritten(RunResult &result, const RepeatedRun &runs);

} // namespace lanescope::core::emulator
