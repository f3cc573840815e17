#include "core/gpu/emulator/Emulator.h"

#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/GridRunner.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/PerturbedReads.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "core/gpu/emulator/RacingSharedReads.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/record/Links.h"
#include "core/gpu/emulator/StaleLoads.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

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

/// What all multiprocessors share, and the cycles that it wants.
struct Bounds {
  uint64_t l2Bytes = 0, dramBytes = 0;
  uint64_t schedule = 0, l2 = 0, dram = 0; // cycles, the first of what warps and their multiprocessors do

  Bounds(const GlobalTraffic &traffic, const Program &program, const EmulatorStatistics &counted)
      : l2Bytes(counted.l2Bytes), dramBytes(traffic.dramBytes()), schedule(counted.cycles) {
    uint64_t perCycle =
        program.machine->major >= 10 ? cost::kBlackwellDramBytesPerCycle : cost::kHopperDramBytesPerCycle;
    l2 = l2Bytes / cost::kL2BytesPerCycle;
    dram = dramBytes / perCycle;
  }

  /// The nearer the warps' schedule and the longest bound are, the less of one is hidden behind the other: the root of
  /// the sum of their squares.
  uint64_t cycles() const {
    return static_cast<uint64_t>(std::hypot(static_cast<double>(schedule), static_cast<double>(std::max(l2, dram))));
  }
};

/// A run that a fault ended has no figures: how far the other blocks came depends on the number of threads.
std::string noteOf(const Program &program, const EmulatorStatistics &statistics, std::optional<uint64_t> conflicts,
                   const std::optional<Bounds> &bounds, bool faulted) {
  std::string note = "emulated until a fault; ";
  if (!faulted) {
    std::string parts = conflicts ? text("warps lost ", *conflicts, " to bank conflicts; ") : "no bank conflicts, ";
    if (bounds)
      parts += text("the schedule of warps takes ", bounds->schedule, ", ", bounds->l2Bytes, " bytes of L2 take ",
                    bounds->l2, ", ", bounds->dramBytes, " of DRAM ", bounds->dram, "; no spills are in them");
    else
      parts += "no L2, DRAM or spills are in them";
    note = text("emulated ", statistics.warpInstructions, " warp instructions in ", statistics.cycles,
                " modelled cycles (", parts, "); ");
  }
  if (program.approximate.empty())
    note += "all instructions are exact";
  else
    note += text("approximate: ", listed(program.approximate), "; all others are exact");
  if (!program.ignored.empty())
    note += text("; without effect here: ", listed(program.ignored));
  return note + "; unsupported: none";
}

/// Of a run that is to be made again.
void clearRecords(RecordedGrid &grid) {
  if (grid.flights)
    grid.flights->clear();
  if (grid.conflicts)
    grid.conflicts->clear();
  if (grid.recorder)
    grid.recorder->clear();
  if (grid.links)
    grid.links->clear();
  if (grid.observer)
    grid.observer->forget();
}

Result<RunResult> runGrid(const Program &program, const Launch &launch, std::span<const Array> arrays,
                          const EmulatorOptions &options, RecordedGrid &grid, EmulatorStatistics &statistics,
                          RacingReads *racing = nullptr, StaleReads *stale = nullptr) {
  double seconds = 0; // of all runs
  uint32_t threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  for (threads = grid.observer || grid.perturbed || grid.stale || grid.racingShared ? 1 : threads;; threads = 1) {
    if (grid.racingShared)
      grid.racingShared->begin();
    LaunchImage image;
    std::vector<RecordedGrid> devices(launch.deviceCount(), grid);
    std::vector<Grid *> grids;
    for (RecordedGrid &device : devices)
      grids.push_back(&device);
    if (auto built = image.build(program, launch, arrays, grids); !built)
      return std::unexpected(built.error());
    if (grids.size() == 1)
      for (size_t n = 0; n < grids[0]->copies; ++n)
        if (Region &region = grids[0]->regions[grids[0]->firstCopy + n]; region.bytes == arrays[n].bytes.size())
          region.initial = arrays[n].bytes.data();
    if (grid.traffic)
      grid.traffic->begin(*grids[0]);
    RunResult result;
    GridRunner runner(grids, options, threads);
    runner.run(result, statistics);
    statistics.seconds = seconds += statistics.seconds;
    if (threads == 1 || !runner.needsOrder()) {
      result.outputs = image.arrays();
      if (racing)
        *racing = runner.racingReads();
      if (stale)
        *stale = runner.staleReads();
      return result;
    }
    clearRecords(grid);
  }
}

bool isOfUnwritten(const Diagnostic &finding) {
  return finding.severity == Severity::Note && finding.kind.starts_with("uninitialised-");
}

bool sameResults(const RunResult &a, const RunResult &b) {
  return !hasErrors(a.diagnostics) && !hasErrors(b.diagnostics) && a.printed == b.printed &&
         std::ranges::equal(a.outputs, b.outputs, {}, &Array::bytes, &Array::bytes);
}

/// Whether two results are one but for the order of sums.
bool alike(const Array &a, const Array &b) {
  if (a.bytes == b.bytes)
    return true;
  if (!layouts::isFloat(a.dtype) || a.size() != b.size())
    return false;
  double largest = 0, apart = 0, part = layouts::hostBytes(a.dtype) < 4 ? 1e-2 : 1e-5;
  for (int64_t n = 0; n < a.size(); ++n) {
    double one = a.number(n), other = b.number(n);
    if (std::isnan(one) && std::isnan(other))
      continue;
    largest = std::max(largest, std::abs(one));
    apart = std::max(apart, one == other ? 0.0 : std::abs(one - other));
    if (std::isnan(one - other) && one != other)
      return false;
  }
  return apart <= part * largest;
}

bool alikeResults(const RunResult &a, const RunResult &b) {
  return !hasErrors(b.diagnostics) && a.printed == b.printed && std::ranges::equal(a.outputs, b.outputs, alike);
}

/// Whether a run ended at a race that may be of a read of shared memory.
bool endedAtRace(const RunResult &result) {
  auto first = std::ranges::find(result.diagnostics, Severity::Error, &Diagnostic::severity);
  return first != result.diagnostics.end() &&
         (first->kind == "race" || first->kind == "copy-not-awaited" || first->kind == "overwritten-in-flight");
}

/// Whether a run has no fault but races of reads in loops, and nothing depends on what they give: where they read
/// something else the same is executed with the same results. They are in `reads` then.
Result<bool> endsAtDeadReads(const Program &program, const Launch &launch, std::span<const Array> arrays,
                             const EmulatorOptions &options, const RecordedGrid &grid, RacingSharedReads &reads) {
  auto runWith = [&](std::byte bits, EmulatorStatistics &counted) {
    RecordedGrid other = grid;
    other.flights = nullptr;
    other.racingShared = &reads;
    other.sharedReads = &reads.found();
    reads.turn(bits);
    return runGrid(program, launch, arrays, options, other, counted);
  };
  EmulatorStatistics counted;
  RunResult there = LANESCOPE_TRY(runWith({}, counted));
  if (hasErrors(there.diagnostics) || reads.found().empty())
    return false;
  for (std::byte bits : {std::byte{0x55}, std::byte{0xAA}}) { // of either sign in every type
    EmulatorStatistics otherCounted;
    RunResult other = LANESCOPE_TRY(runWith(bits, otherCounted));
    if (!sameResults(there, other) || otherCounted.warpInstructions != counted.warpInstructions)
      return false;
  }
  return true;
}

/// Loads that race with a store are faults where what they read comes to a result, or decides what is executed: where
/// runs in which they read something else give others, or have another number of instructions, but for the rounds of
/// loops whose `atom.cas` finds that out.
Result<void> judgeRacing(RunResult &result, const EmulatorStatistics &counted, Program &program, const Launch &launch,
                         std::span<const Array> arrays, const EmulatorOptions &options, RecordedGrid &grid,
                         const RacingReads &reads) {
  if (reads.empty())
    return {};
  bool matters = hasErrors(result.diagnostics);
  // Of either sign in every type, as there; and zeros, which a poll waits on for ever.
  for (std::optional bits : {std::optional(std::byte{0x55}), std::optional(std::byte{0xAA}), {}}) {
    if (matters)
      break;
    PerturbedReads perturbed(program, reads, bits);
    RecordedGrid other = grid;
    other.flights = nullptr;
    other.perturbed = &perturbed;
    EmulatorStatistics otherCounted;
    Result<RunResult> run = runGrid(program, launch, arrays, options, other, otherCounted);
    if (!run)
      return std::unexpected(std::move(run.error()));
    // Rounds of `atom.cas` until it finds what was loaded: sums of floats in another order.
    bool otherRounds = otherCounted.warpInstructions != counted.warpInstructions && perturbed.allCompared();
    matters = !bits         ? hasErrors(run->diagnostics)
              : otherRounds ? !alikeResults(result, *run)
                            : !sameResults(result, *run);
  }
  for (Diagnostic &finding : result.diagnostics)
    if (finding.kind == kRacingReadKind) {
      if (matters) {
        finding.kind = "race";
        finding.severity = Severity::Error;
      } else {
        finding.message += "; no result depends on what it loads";
      }
    }
  return {};
}

/// Strong loads that may give what was there before are faults where a result depends on it; but not where other
/// schedules alone give other results.
Result<void> judgeStale(RunResult &result, Program &program, const Launch &launch, std::span<const Array> arrays,
                        const EmulatorOptions &options, RecordedGrid &grid, StaleReads &reads) {
  constexpr size_t kMostLoads = 8;
  if (hasErrors(result.diagnostics))
    return {};
  auto runWith = [&](StaleLoads *stale, uint64_t seed, bool backwards) {
    RecordedGrid other = grid;
    other.flights = nullptr;
    other.stale = stale;
    other.backwards = backwards;
    EmulatorOptions otherOptions = options;
    otherOptions.seed = seed;
    EmulatorStatistics ignored;
    return runGrid(program, launch, arrays, otherOptions, other, ignored);
  };
  size_t tried = 0;
  for (auto &[pc, finding] : reads) {
    if (++tried > kMostLoads)
      return {};
    std::optional<StaleLoads> stale(std::in_place, program, pc);
    RunResult run = LANESCOPE_TRY(runWith(&*stale, options.seed, false));
    stale.reset();
    if (std::ranges::any_of(run.diagnostics,
                            [](const Diagnostic &d) { return d.kind == "timeout" || d.kind == "interrupted"; }))
      return {}; // nothing is known
    if (alikeResults(result, run))
      continue;
    for (auto [seed, backwards] : {std::pair(options.seed, true), std::pair(options.seed + 1, false)})
      if (!alikeResults(result, LANESCOPE_TRY(runWith(nullptr, seed, backwards))))
        return {};
    result.diagnostics.push_back(std::move(finding));
    return {};
  }
  return {};
}

/// Which outputs differ between two runs.
std::vector<bool> differing(const RunResult &a, const RunResult &b) {
  std::vector<bool> out;
  for (size_t n = 0; n < a.outputs.size(); ++n)
    out.push_back(n >= b.outputs.size() || a.outputs[n].bytes != b.outputs[n].bytes);
  return out;
}

/// Reads of memory that nobody wrote are faults where its content comes to a result: where runs with other content give
/// others. An array that holds readings of clocks is none that anybody compares: profilers copy their buffers whole.
Result<void> judgeUnwritten(RunResult &result, const Program &program, const Launch &launch,
                            std::span<const Array> arrays, const EmulatorOptions &options, RecordedGrid &grid) {
  if (hasErrors(result.diagnostics) || std::ranges::none_of(result.diagnostics, isOfUnwritten))
    return {};
  bool fails = false;
  std::vector<bool> depends(result.outputs.size());
  grid.flights = nullptr;
  auto again = [&]() -> Result<RunResult> {
    EmulatorStatistics ignored;
    return runGrid(program, launch, arrays, options, grid, ignored);
  };
  for (std::byte large : {std::byte{0x7B}, std::byte{0xFB}}) { // of either sign in every type: no min or max hides both
    grid.unwritten = large;
    RunResult other = LANESCOPE_TRY(again());
    fails |= hasErrors(other.diagnostics) || other.printed != result.printed;
    std::vector<bool> differs = differing(result, other);
    for (size_t n = 0; n < depends.size(); ++n)
      depends[n] = depends[n] || differs[n];
  }
  bool matters = fails || std::ranges::find(depends, true) != depends.end(), ofClocks = false;
  if (matters && !fails && program.readsClock) {
    grid.unwritten = std::byte{0};
    grid.clockRate = 3; // differences of readings change, too
    std::vector<bool> clocks = differing(result, LANESCOPE_TRY(again()));
    ofClocks = std::ranges::equal(depends, clocks, [](bool one, bool clock) { return !one || clock; });
  }
  for (Diagnostic &finding : result.diagnostics)
    if (isOfUnwritten(finding)) {
      finding.message += !matters ? "; no result depends on what it holds"
                         : ofClocks
                             ? "; of the results those alone depend on what it holds that hold readings of clocks"
                             : "; results depend on what it holds";
      if (matters && !ofClocks)
        finding.severity = Severity::Error;
    }
  return {};
}

} // namespace

Result<RunResult> emulate(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
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
  EmulatorStatistics counted;
  RacingReads racing;
  StaleReads stale;
  Result<RunResult> ran = runGrid(program, launch, arrays, options, grid, counted, &racing, &stale);
  if (!ran)
    return ran;
  std::optional<RacingSharedReads> dead;
  if (endedAtRace(*ran)) {
    dead.emplace(prepared.program);
    if (LANESCOPE_TRY(endsAtDeadReads(program, launch, arrays, options, grid, *dead))) {
      dead->turn({});
      grid.racingShared = &*dead;
      grid.sharedReads = &dead->found();
    } else {
      dead.reset();
    }
    // What is recorded is of this run alone, not of those that have judged it.
    clearRecords(grid);
    counted = {};
    if (ran = runGrid(program, launch, arrays, options, grid, counted, &racing, &stale); !ran)
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
  if (auto judged = judgeRacing(result, counted, prepared.program, launch, arrays, options, grid, racing); !judged)
    return std::unexpected(judged.error());
  if (auto judged = judgeStale(result, prepared.program, launch, arrays, options, grid, stale); !judged)
    return std::unexpected(judged.error());
  if (auto judged = judgeUnwritten(result, program, launch, arrays, options, grid); !judged)
    return std::unexpected(judged.error());
  result.note = noteOf(program, counted, wavefronts, bounds, hasErrors(result.diagnostics));
  if (grid.links && !hasErrors(result.diagnostics))
    if (std::string carried = grid.links->summary(); !carried.empty())
      result.note += text("; over links, ", carried);
  result.device = text("emulator (", program.module.target, ")");
  if (statistics)
    *statistics = counted;
  return result;
}

} // namespace lanescope::core
