// A launch that runs more than once: what a run has found, others judge whose grid differs in something.
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

class RacingSharedReads;

/// All of it outlives this.
struct RepeatedRun {
  const Program &program;
  const Launch &launch;
  std::span<const Array> arrays;
  const EmulatorOptions &options;
  RecordedGrid &grid;
  RacingSharedReads *allowed = nullptr;
  std::unique_ptr<Replay> standing = nullptr; // with what is allowed
  mutable uint64_t instructions = 0;          // warp instructions of all runs but the first
  ProgressStep *replays = nullptr;            // counts them

  /// The suspicions of a run that replays settle.
  struct Suspected {
    RacingReads racing; // loads that give what is not ordered
    RacingReads lanes;  // loads of what another lane of the warp writes in step
    StaleReads stale;
    LateSuspects late;
  };
  /// The run that counts.
  Result<RunResult> first(EmulatorStatistics &statistics, Suspected &suspected) const;
  /// One on a copy of the grid, of which nothing in flight is recorded, as `change` makes it.
  Result<RunResult> again(const std::function<void(RecordedGrid &)> &change, EmulatorStatistics *statistics = nullptr,
                          std::optional<uint64_t> seed = {}) const;
  /// One in which the perturbation acts.
  Result<RunResult> under(Perturbation &perturbation, EmulatorStatistics *statistics = nullptr) const;
  /// In all runs from now on these reads may race, and are noted; null: no reads may.
  void allow(RacingSharedReads *reads);
  /// What has been recorded is of a run that does not count.
  void clearRecords() const;
};

/// Neither has failed, and all bytes are the same.
bool sameResults(const RunResult &a, const RunResult &b);
/// The second one has not failed, and they are the same but for the order of sums of floats.
bool alikeResults(const RunResult &a, const RunResult &b);
/// The same, but for the outputs in `varying`; empty: for none.
bool alikeResults(const RunResult &a, const RunResult &b, const std::vector<bool> &varying);
/// Which outputs differ.
std::vector<bool> differing(const RunResult &a, const RunResult &b);

} // namespace lanescope::core::emulator
