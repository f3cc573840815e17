#include "core/gpu/emulator/Emulator.h"

#include "core/data/MemoryReserve.h"
#include "core/data/Progress.h"
#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/replay/HiddenByZeros.h"
#include "core/gpu/emulator/replay/LateRuns.h"
#include "core/gpu/emulator/replay/LateSignals.h"
#include "core/gpu/emulator/replay/LateStoreRuns.h"
#include "core/gpu/emulator/replay/RaceCause.h"
#include "core/gpu/emulator/replay/RacingSharedReads.h"
#include "core/gpu/emulator/replay/RunNote.h"
#include "core/gpu/emulator/replay/Settle.h"
#include "core/gpu/emulator/replay/StrictRuns.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <optional>

namespace lanescope::core {

namespace {

using namespace emulator;

/// If blocks are left out, says so at the findings that their absence may cause.
void nameLeftOut(RunResult &result, const EmulatorOptions &options) {
  if (options.blocks.isAll())
    return;
  for (Diagnostic &finding : result.diagnostics)
    if (finding.kind == "deadlock" || finding.kind == "timeout" || finding.kind == "blocks-not-resident")
      finding.notes.push_back({finding.span, "only some of the grid's blocks run (`--blocks`): this may wait for one "
                                             "that does not"});
}

Result<RunResult> runAndSettle(const SourceRef &ptx, const Launch &launch, std::span<const Array> arrays,
                               const EmulatorOptions &options, EmulatorStatistics *statistics) {
  auto made = PreparedRun::of(ptx, launch, options);
  if (!made)
    return std::unexpected(std::move(made.error()));
  PreparedRun &prepared = **made;
  const Program &program = prepared.program;
  RecordedGrid &grid = prepared.grid;
  std::optional<BankConflicts> &conflicts = prepared.conflicts;
  std::optional<Observer> &observer = prepared.observer;
  std::optional<InstructionRecorder> &recorder = prepared.recorder;
  std::optional<LateSignals> late;
  RepeatedRun runs{prepared.program, launch, arrays, options, grid};
  if (LateSignals::runsOn(grid, Schedule::of(options.seed))) {
    runs.lateSignals = &late.emplace(program);
    runs.setStanding();
  }
  EmulatorStatistics counted;
  RepeatedRun::Suspected suspected;
  Result<RunResult> ran = runs.first(counted, suspected);
  if (!ran)
    return ran;
  std::optional<RacingSharedReads> dead;
  if (endedAtRace(*ran) || suspected.discardable) {
    if (!LANESCOPE_TRY(endsAtDeadReads(runs, dead.emplace(prepared.program))))
      dead.reset();
    // Keep only the records of this run, not those of the runs that graded the dead reads.
    runs.clearRecords();
    counted = {};
    if (ran = runs.first(counted, suspected); !ran)
      return ran;
  }
  RunResult result = std::move(*ran);
  if (conflicts)
    counted.wavefronts = conflicts->wavefronts();
  std::optional<TrafficBounds> bounds;
  if (prepared.traffic) {
    bounds = TrafficBounds::of(*prepared.traffic, program, counted);
    counted.cycles = bounds->cycles();
    result.timeUs = static_cast<double>(counted.cycles) / 1000;
  }
  if (recorder) {
    recorder->record(grid.conflicts, *options.record);
    options.record->copies = !options.instant;
    options.record->sharedBytes = int64_t{program.dynamicBase} + launch.dynamicSmem;
    recorder->stop();
  }
  if (options.coverage)
    options.coverage->add(observer->points(grid));
  if (observer)
    observer->stopCounting();
  if (grid.links)
    grid.links->stop();
  Diagnostics told = options.strictRules.empty() ? Diagnostics() : result.diagnostics;
  ProgressStep replays(options.progress, "replay");
  runs.replays = &replays;
  LANESCOPE_CHECK(settleRacing(result, counted, runs, suspected.racing, suspected.lanes));
  nameGuesses(result);
  LANESCOPE_CHECK(settleStale(result, runs, suspected.stale));
  const uint64_t replayed = runs.instructions;
  LANESCOPE_CHECK(settleLateStores(result, runs, suspected.stale));
  runs.instructions = replayed;
  LANESCOPE_CHECK(settleUnwritten(result, runs));
  LANESCOPE_CHECK(settleLate(result, runs, suspected.late));
  LANESCOPE_CHECK(nameCause(result, runs, suspected.late));
  if (suspected.equalWrites)
    LANESCOPE_CHECK(noteHiddenByZeros(result, runs));
  if (options.coverage)
    options.coverage->add(latePoints(suspected.late, grid));
  LANESCOPE_CHECK(addStrictFaults(result, told, runs));
  nameLeftOut(result, options);
  counted.judged = runs.instructions;
  for (Diagnostic &finding : result.diagnostics)
    if (std::ranges::find(options.strictRules, finding.kind) != options.strictRules.end())
      finding.severity = Severity::Error;
  result.note = figuresText(counted, bounds, hasErrors(result.diagnostics)) + exactnessText(program);
  if (grid.links && !hasErrors(result.diagnostics))
    if (std::string carried = grid.links->summary(); !carried.empty())
      result.note += text("; over links, ", carried);
  result.device = text("emulator (", program.module->target, ")");
  if (statistics)
    *statistics = counted;
  return result;
}

} // namespace

Result<RunResult> emulate(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                          const EmulatorOptions &options, EmulatorStatistics *statistics) {
  if (options.interrupted) // the owner of the flag knows why it was raised
    return runAndSettle(ptx, launch, arrays, options, statistics);
  std::atomic<bool> stopped{false};
  StopWithoutMemory stop(stopped);
  EmulatorOptions own = options;
  own.interrupted = &stopped;
  Result<RunResult> result = runAndSettle(ptx, launch, arrays, own, statistics);
  if (stop.happened())
    return at({ptx, 0, 0}, StopWithoutMemory::error().error());
  return result;
}

} // namespace lanescope::core
