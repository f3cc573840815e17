#include "core/gpu/emulator/replay/RepeatedRun.h"

#include "core/data/Progress.h"
#include "core/gpu/emulator/conflicts/GlobalTraffic.h"
#include "core/gpu/emulator/GridRunner.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/replay/LateSignals.h"
#include "core/gpu/emulator/replay/RacingSharedReads.h"
#include "core/gpu/emulator/RunPart.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

namespace lanescope::core::emulator {

namespace {

/// Clears the records of a run that is to be repeated.
void clear(RecordedGrid &grid) {
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

Result<RunResult> runGrid(const RepeatedRun &run, const EmulatorOptions &options, RecordedGrid &grid,
                          EmulatorStatistics &statistics, RepeatedRun::Suspected *suspected) {
  const Launch &launch = run.launch;
  LentArrays &lent = run.lent;
  double seconds = 0; // total of all runs
  uint32_t threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  for (threads = grid.observer || grid.replay ? 1 : threads;;) {
    if (grid.replay)
      grid.replay->begin();
    LaunchImage image;
    std::vector<RecordedGrid> devices(launch.deviceCount(), grid);
    std::vector<Grid *> grids;
    for (RecordedGrid &device : devices)
      grids.push_back(&device);
    if (auto built = image.build(run.program, launch, run.arrays, grids, options.standing, &lent); !built)
      return std::unexpected(built.error());
    RunPart *part = options.part;
    const std::vector<uint64_t> chosen =
        part ? part->chosen(*grids[0]) : LANESCOPE_TRY(clustersOf(options.blocks, *grids[0]));
    if (part) {
      part->clusters = grids[0]->clusterCount();
      part->blocksOfCluster = grid.clusterBlocks();
      if (chosen.empty()) // for the grid, that would mean all of them
        return error(
            "checkpoint",
            Message("the grid has {} clusters, and {} are said to have ended: the checkpoint is damaged; remove it",
                    part->clusters, part->first));
    }
    for (Grid *each : grids)
      each->chosen = chosen;
    if (grids.size() == 1 && !options.standing)
      for (size_t n = 0; n < grids[0]->copies; ++n)
        if (Region &region = grids[0]->regions[grids[0]->firstCopy + n]; region.bytes == run.arrays[n].bytes.size())
          region.initial = run.arrays[n].bytes.data();
    if (part && part->before) {
      LANESCOPE_CHECK(part->before->fits(*grids[0]));
      part->before->restore(*grids[0]);
      if (lent.takeWritten()) // such an array needs memory of its own
        continue;
    }
    if (grid.traffic)
      grid.traffic->begin(*grids[0]);
    RunResult result;
    GridRunner runner(grids, options, threads);
    runner.run(result, statistics);
    statistics.seconds = seconds += statistics.seconds;
    bool again = lent.takeWritten();
    if (!again && (threads == 1 || !runner.needsOrder())) {
      if (part) {
        part->after = MemoryState::of(*grids[0]);
        part->touches = runner.touches();
      }
      image.keepHeap(*grids[0]);
      result.outputs = options.standing ? image.takeStanding() : image.takeArrays();
      if (suspected && options.record && options.record->wantsAccessed && grids.size() == 1)
        options.record->accessed = runner.accessed();
      if (suspected)
        *suspected = {runner.racingReads(), runner.laneReads(), runner.staleReads(), runner.lateSuspects(),
                      runner.equalWrites(), runner.discardable()};
      return result;
    }
    if (!again)
      threads = 1;
    clear(grid);
  }
}

/// True if two results are equal apart from the order of sums.
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

} // namespace

Result<RunResult> RepeatedRun::first(EmulatorStatistics &statistics, Suspected &suspected) const {
  return runGrid(*this, options, grid, statistics, &suspected);
}

Result<RunResult> RepeatedRun::again(const std::function<void(RecordedGrid &)> &change, EmulatorStatistics *statistics,
                                     std::optional<uint64_t> seed, Suspected *suspected) const {
  RecordedGrid other = grid;
  other.flights = nullptr;
  if (other.observer)
    other.observer->beginsAgain();
  change(other);
  EmulatorOptions otherOptions = options;
  otherOptions.seed = seed.value_or(options.seed);
  otherOptions.record = nullptr; // the record is that of the first run
  RunPart part;
  if (options.part) // and so are the memory and the bytes that the part used
    part = {.first = options.part->first,
            .count = options.part->count,
            .before = options.part->before,
            .clusters = options.part->clusters};
  otherOptions.part = options.part ? &part : nullptr;
  EmulatorStatistics own;
  EmulatorStatistics &counted = statistics ? *statistics : own;
  Result<RunResult> result = runGrid(*this, otherOptions, other, counted, suspected);
  instructions += counted.warpInstructions;
  if (replays)
    replays->advance();
  return result;
}

Result<RunResult> RepeatedRun::under(Perturbation &perturbation, EmulatorStatistics *statistics) const {
  return under(std::vector{&perturbation}, statistics);
}

Result<RunResult> RepeatedRun::under(std::vector<Perturbation *> perturbations, EmulatorStatistics *statistics,
                                     Suspected *suspected) const {
  addStanding(perturbations);
  Replay replay(program, std::move(perturbations));
  return again([&](RecordedGrid &other) { replay.attachTo(other); }, statistics, {}, suspected);
}

void RepeatedRun::allow(RacingSharedReads *reads) {
  allowed = reads;
  grid.sharedReads = reads ? &reads->found() : nullptr;
  setStanding();
}

void RepeatedRun::setStanding() {
  std::vector<Perturbation *> perturbations;
  addStanding(perturbations);
  grid.replay = nullptr;
  grid.replayedCode = nullptr;
  standing.reset();
  if (perturbations.empty())
    return;
  standing = std::make_unique<Replay>(program, std::move(perturbations));
  standing->attachTo(grid);
}

void RepeatedRun::addStanding(std::vector<Perturbation *> &perturbations) const {
  if (allowed)
    perturbations.push_back(allowed);
  if (lateSignals)
    perturbations.push_back(lateSignals);
}

void RepeatedRun::clearRecords() const { clear(grid); }

bool sameResults(const RunResult &a, const RunResult &b) {
  return !hasErrors(a.diagnostics) && !hasErrors(b.diagnostics) && a.printed == b.printed &&
         std::ranges::equal(a.outputs, b.outputs, {}, &Array::bytes, &Array::bytes);
}

bool alikeResults(const RunResult &a, const RunResult &b) { return alikeResults(a, b, {}); }

bool alikeResults(const RunResult &a, const RunResult &b, const std::vector<bool> &varying) {
  if (hasErrors(b.diagnostics) || a.printed != b.printed || a.outputs.size() != b.outputs.size())
    return false;
  for (size_t n = 0; n < a.outputs.size(); ++n)
    if (!(n < varying.size() && varying[n]) && !alike(a.outputs[n], b.outputs[n]))
      return false;
  return true;
}

std::vector<bool> differing(const RunResult &a, const RunResult &b) {
  std::vector<bool> out;
  for (size_t n = 0; n < a.outputs.size(); ++n)
    out.push_back(n >= b.outputs.size() || a.outputs[n].bytes != b.outputs[n].bytes);
  return out;
}

} // namespace lanescope::core::emulator
