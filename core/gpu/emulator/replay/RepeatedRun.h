// A launch that runs more than once. Later runs use a grid that differs in one thing. They show which suspicions of the
// first run are right.
//
//   RepeatedRun runs{program, launch, arrays, options, grid};
//   RunResult result = LANESCOPE_TRY(runs.first(statistics, suspected));
//   RunResult other = LANESCOPE_TRY(runs.again([&](RecordedGrid &grid) { grid.backwards = true; }));
//   StaleLoads stale(program, pc);
//   RunResult stalest = LANESCOPE_TRY(runs.under(stale));
//   if (!alikeResults(result, other)) …
#pragma once

#include "core/gpu/emulator/check/LateWarps.h"
#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/check/StaleReads.h"
#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/replay/Replay.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lanescope::core {
class ProgressStep;
}

namespace lanescope::core::emulator {

class LateSignals;
class RacingSharedReads;

/// Everything that this refers to must outlive this object.
struct RepeatedRun {
  const Program &program;
  const Launch &launch;
  std::span<const Array> arrays;
  const EmulatorOptions &options;
  RecordedGrid &grid;
  LateSignals *lateSignals = nullptr;         // the schedule's, which takes part in all runs; may be null
  RacingSharedReads *allowed = nullptr;       // the reads that allow() permits
  std::unique_ptr<Replay> standing = nullptr; // the perturbations of runs that have no others
  mutable uint64_t instructions = 0;          // warp instructions of all runs except the first
  ProgressStep *replays = nullptr;            // counts the replays
  mutable LentArrays lent{options.written};

  /// The suspicions of a run. Replays confirm or drop them.
  struct Suspected {
    RacingReads racing; // loads whose values no order determines
    RacingReads lanes;  // loads of values that another lane of the warp writes in step with them
    StaleReads stale;
    LateSuspects late;
    bool equalWrites = false; // unordered writes passed because they left the bytes as they were
    bool discardable = false; // lanes in step race at loads whose value each use may discard
  };
  /// Makes the run that gives the launch's results.
  Result<RunResult> first(EmulatorStatistics &statistics, Suspected &suspected) const;
  /// Runs a copy of the grid that `change` has modified. Does not record what is in flight.
  Result<RunResult> again(const std::function<void(RecordedGrid &)> &change, EmulatorStatistics *statistics = nullptr,
                          std::optional<uint64_t> seed = {}, Suspected *suspected = nullptr) const;
  /// Runs the launch with the perturbation.
  Result<RunResult> under(Perturbation &perturbation, EmulatorStatistics *statistics = nullptr) const;
  /// Runs the launch with several perturbations (see Replay). `suspected`: gets the suspicions of that run.
  Result<RunResult> under(std::vector<Perturbation *> perturbations, EmulatorStatistics *statistics = nullptr,
                          Suspected *suspected = nullptr) const;
  /// In all later runs, lets these reads race: the runs only record them. Null: a read that races is a fault again.
  void allow(RacingSharedReads *reads);
  /// Drops the records of a run that gives no results.
  void clearRecords() const;
  /// Lets the next runs have the perturbations that belong to all runs.
  void setStanding();
  /// Adds the perturbations that belong to all runs.
  void addStanding(std::vector<Perturbation *> &perturbations) const;
};

/// True if neither run has failed, and all bytes are equal.
bool sameResults(const RunResult &a, const RunResult &b);
/// True if `b` has not failed, and the results are equal apart from the order of floating-point sums.
bool alikeResults(const RunResult &a, const RunResult &b);
/// Compares as alikeResults(a, b) does, without the outputs that are set in `varying`. An empty `varying` leaves none
/// out.
bool alikeResults(const RunResult &a, const RunResult &b, const std::vector<bool> &varying);
/// One flag per output: true if it differs.
std::vector<bool> differing(const RunResult &a, const RunResult &b);

} // namespace lanescope::core::emulator
