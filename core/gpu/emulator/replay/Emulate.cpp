#include "core/gpu/emulator/Emulator.h"

#include "core/data/MemoryReserve.h"
#include "core/data/Progress.h"
#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/record/Links.h"
#include "core/gpu/emulator/replay/HiddenByZeros.h"
#include "core/gpu/emulator/replay/LateRuns.h"
#include "core/gpu/emulator/replay/LateSignals.h"
#include "core/gpu/emulator/replay/LateStoreRuns.h"
#include "core/gpu/emulator/replay/RacingSharedReads.h"
#include "core/gpu/emulator/replay/Replay.h"
#include "core/gpu/emulator/replay/Settle.h"
#include "core/gpu/emulator/replay/StrictRuns.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lanescope::core {

namespace {

using namespace emulator;

std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kShown = 8;
  std::string out;
  for (size_t n = 0; n < names.size() && n < kShown; ++n)
    out += text(n ? ", `" : "`", names[n], "`");
  if (names.size() > kShown)
    out += text(" and ", names.size() - kShown, " more");
  return out;
}

/// The bytes that pass through the resources which all multiprocessors share, and the cycles that this takes.
struct Bounds {
  uint64_t l2Bytes = 0, dramBytes = 0;
  // Cycles; `schedule` is the time that the warps need by the emulator's schedule.
  uint64_t schedule = 0, l2 = 0, dram = 0;

  Bounds(const GlobalTraffic &traffic, const Program &program, const EmulatorStatistics &counted)
      : l2Bytes(counted.l2Bytes), dramBytes(traffic.dramBytes()), schedule(counted.cycles) {
    uint64_t perCycle =
        program.machine->major >= 10 ? cost::kBlackwellDramBytesPerCycle : cost::kHopperDramBytesPerCycle;
    l2 = l2Bytes / cost::kL2BytesPerCycle;
    dram = dramBytes / perCycle;
  }

  /// The square root of the sum of the squares of `schedule` and the longer bound. The closer the two are to each
  /// other, the less they overlap.
  uint64_t cycles() const {
    return static_cast<uint64_t>(std::hypot(static_cast<double>(schedule), static_cast<double>(std::max(l2, dram))));
  }
};

/// If blocks are left out, says so at the findings that their absence may cause.
void nameLeftOut(RunResult &result, const EmulatorOptions &options) {
  if (options.blocks.isAll())
    return;
  for (Diagnostic &finding : result.diagnostics)
    if (finding.kind == "deadlock" || finding.kind == "timeout" || finding.kind == "blocks-not-resident")
      finding.notes.push_back({finding.span, "only some of the grid's blocks run (`--blocks`): this may wait for one "
                                             "that does not"});
}

/// Gives no figures for a run that ended in a fault: how far its other blocks came depends on the number of host
/// threads.
std::string noteOf(const Program &program, const EmulatorStatistics &statistics, std::optional<uint64_t> conflicts,
                   const std::optional<Bounds> &bounds, bool faulted) {
  std::string note = "emulated until a fault; ";
  if (!faulted) {
    std::string parts = conflicts ? text("warps lost ", *conflicts, " to bank conflicts; ") : "bank conflicts, ";
    if (bounds)
      parts += text("the schedule of warps takes ", bounds->schedule, ", ", bounds->l2Bytes, " bytes of L2 take ",
                    bounds->l2, ", ", bounds->dramBytes, " of DRAM ", bounds->dram, "; spills are not included");
    else
      parts += "L2, DRAM and spills are not included";
    note = text("emulated ", statistics.warpInstructions, " warp instructions in ", statistics.cycles,
                " modelled cycles (", parts, "); ");
  }
  if (program.approximate.empty())
    note += "all instructions are exact";
  else
    note += text("approximate: ", listed(program.approximate), "; all others are exact");
  if (program.fused)
    note += text("; fused into one operation, as ptxas does: ", program.fused,
                 program.fused == 1 ? " sum with its product" : " sums with their products");
  if (!program.ignored.empty())
    note += text("; without effect here: ", listed(program.ignored));
  return note + "; unsupported: none";
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
  std::optional<Replay> lateRun;
  if (LateSignals::runsOn(grid, Schedule::of(options.seed)))
    lateRun.emplace(program, std::vector<Perturbation *>{&late.emplace(program)}).attachTo(grid);
  RepeatedRun runs{prepared.program, launch, arrays, options, grid};
  EmulatorStatistics counted;
  RepeatedRun::Suspected suspected;
  Result<RunResult> ran = runs.first(counted, suspected);
  if (!ran)
    return ran;
  std::optional<RacingSharedReads> dead;
  if (endedAtRace(*ran)) {
    if (!LANESCOPE_TRY(endsAtDeadReads(runs, dead.emplace(prepared.program))))
      dead.reset();
    // Keep only the records of this run, not those of the runs that graded the dead reads.
    runs.clearRecords();
    counted = {};
    if (ran = runs.first(counted, suspected); !ran)
      return ran;
  }
  RunResult result = std::move(*ran);
  std::optional<uint64_t> wavefronts;
  if (conflicts)
    wavefronts = conflicts->wavefronts();
  std::optional<Bounds> bounds;
  if (prepared.traffic) {
    counted.cycles = bounds.emplace(*prepared.traffic, program, counted).cycles();
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
  result.note = noteOf(program, counted, wavefronts, bounds, hasErrors(result.diagnostics));
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
