#include "core/gpu/emulator/replay/LateStoreRuns.h"

#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/replay/EarlyWrites.h"
#include "core/gpu/emulator/replay/LateAtomics.h"
#include "core/gpu/emulator/replay/LateStores.h"
#include "core/gpu/emulator/replay/OwnReads.h"
#include "core/gpu/emulator/replay/Settle.h"
#include "core/gpu/emulator/replay/StaleLoads.h"
#include "core/gpu/emulator/replay/StorePairs.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostTriedStores = 8, kMostTriedLoads = 4;
constexpr uint32_t kMostSlowBlocks = 4;

bool endedByItself(const RunResult &run) {
  return std::ranges::none_of(run.diagnostics,
                              [](const Diagnostic &d) { return d.kind == "timeout" || d.kind == "interrupted"; });
}

/// Sets the outputs in `varying` that differ between two runs.
void addDiffering(const RunResult &a, const RunResult &b, std::vector<bool> &varying) {
  const std::vector<bool> differs = differing(a, b);
  for (size_t output = 0; output < varying.size(); ++output)
    varying[output] = varying[output] || differs[output];
}

/// A run that a late store breaks, and the finding about the store.
struct Broken {
  RunResult run;
  Diagnostic finding;
};

/// The broken run, if the kernel breaks when the store is late. Outputs that are set in `varying` do not count.
Result<std::optional<Broken>> tryLateStore(const RunResult &result, const RepeatedRun &runs, const StorePair &pair,
                                           LateStores::Stops stops, const StaleReads &stale,
                                           const std::vector<bool> &varying) {
  LateStores late(runs.program, pair.store, pair.cluster, stops);
  auto breaks = [&](const RunResult &run) {
    return late.finding() && endedByItself(run) && !alikeResults(result, run, varying);
  };
  RepeatedRun::Suspected suspected;
  RunResult run = LANESCOPE_TRY(runs.under({&late}, nullptr, &suspected));
  if (breaks(run))
    return Broken{std::move(run), *late.finding()};
  if (!late.finding() || !endedByItself(run))
    return std::nullopt;
  size_t tried = 0;
  for (const auto &[pc, finding] : suspected.stale) {
    if (stale.contains(pc) || finding.severity != Severity::Error || ++tried > kMostTriedLoads)
      continue;
    StaleLoads older(runs.program, pc, &late);
    if (RunResult both = LANESCOPE_TRY(runs.under({&late, &older})); breaks(both))
      return Broken{std::move(both), *late.finding()};
  }
  return std::nullopt;
}

/// The broken run, if the kernel breaks when the atomic is performed late. Outputs that are set in `varying` do not
/// count.
Result<std::optional<Broken>> tryLateAtomic(const RunResult &result, const RepeatedRun &runs, const StorePair &pair,
                                            const std::vector<bool> &varying) {
  LateAtomics late(runs.program, pair.store, pair.cluster);
  RunResult run = LANESCOPE_TRY(runs.under(late));
  if (!late.finding() || !endedByItself(run) || alikeResults(result, run, varying))
    return std::nullopt;
  return Broken{std::move(run), *late.finding()};
}

/// Sets the outputs among `arrays` whose contents depend on the order of blocks alone, such as a flag that the last
/// thread leaves. With one block, there is no other order to try, and all of them count as such.
Result<void> findVaryingFlags(const RunResult &result, const RepeatedRun &runs, const std::vector<size_t> &arrays,
                              std::vector<bool> &varying) {
  auto isOpen = [&](size_t array) { return array < varying.size() && !varying[array]; };
  const uint32_t blocks = ScheduleExtent::of(runs.launch).blocks;
  std::vector<uint64_t> schedules;
  for (uint32_t block = 0; blocks > 1 && block < std::min(blocks, kMostSlowBlocks); ++block)
    schedules.push_back(Schedule{.adversary = Adversary::SlowBlock, .block = block}.number());
  for (uint64_t schedule : schedules) {
    if (std::ranges::none_of(arrays, isOpen))
      return {};
    const RunResult other = LANESCOPE_TRY(runs.again([](RecordedGrid &) {}, nullptr, schedule));
    const std::vector<bool> differs = differing(result, other);
    for (size_t array : arrays)
      if (isOpen(array) && (differs[array] || hasErrors(other.diagnostics)))
        varying[array] = true;
  }
  for (size_t array : arrays)
    if (isOpen(array) && schedules.empty())
      varying[array] = true;
  return {};
}

/// The outputs that other schedules change. Their runs are made when they are needed first: most kernels need none.
class Varying {
public:
  Varying(const RunResult &result, const RepeatedRun &runs, std::vector<size_t> flags)
      : result_(result), runs_(runs), flags_(std::move(flags)) {}
  Result<std::vector<bool>> outputs() {
    if (!known_) {
      std::vector<bool> all = LANESCOPE_TRY(varyingOutputs(result_, runs_));
      LANESCOPE_CHECK(findVaryingFlags(result_, runs_, flags_, all));
      known_ = std::move(all);
    }
    return *known_;
  }

private:
  const RunResult &result_;
  const RepeatedRun &runs_;
  std::vector<size_t> flags_; // arrays
  std::optional<std::vector<bool>> known_;
};

/// The finding about the load, if results differ when the cluster writes the place first and the load then returns a
/// value without the others' writes. Outputs that the early write alone or other schedules change do not count.
Result<std::optional<Diagnostic>> tryEarlyWrite(const RunResult &result, const RepeatedRun &runs, const OwnRead &read,
                                                uint64_t cluster, Varying &varying) {
  EarlyWrites early(runs.program, read, cluster);
  RepeatedRun::Suspected suspected;
  const RunResult alone = LANESCOPE_TRY(runs.under({&early}, nullptr, &suspected));
  auto finding = suspected.stale.find(read.load);
  if (finding == suspected.stale.end() || hasErrors(alone.diagnostics))
    return std::nullopt;
  std::vector<bool> apart = LANESCOPE_TRY(varying.outputs());
  addDiffering(result, alone, apart);
  StaleLoads older(runs.program, read.load);
  const RunResult both = LANESCOPE_TRY(runs.under({&early, &older}));
  if (!endedByItself(both) || alikeResults(result, both, apart))
    return std::nullopt;
  return std::move(finding->second);
}

/// The finding about the load. If a count tells which block loads, that is the block that writes first and then waits.
/// Otherwise it is the block that has loaded in the first run.
Result<std::optional<Diagnostic>> findingOf(const RunResult &result, const RepeatedRun &runs, const OwnRead &read,
                                            Varying &varying) {
  constexpr uint32_t kMostWaiting = 64; // blocks; each of them polls until the cluster has written
  auto finding = LANESCOPE_TRY(tryEarlyWrite(result, runs, read, read.first, varying));
  if (finding || read.cluster == read.first || ScheduleExtent::of(runs.launch).blocks > kMostWaiting)
    return finding;
  return tryEarlyWrite(result, runs, read, read.cluster, varying);
}

} // namespace

namespace {

/// True if the broken run differs from a run in which the warps stop in the same places and `inTime` changes nothing
/// else. Otherwise the stops have the effect, and not the late access. Outputs that the stops change become `varying`.
Result<bool> isLateness(const RunResult &result, const RepeatedRun &runs, const Broken &broken, Perturbation &inTime,
                        std::vector<bool> &varying) {
  const RunResult run = LANESCOPE_TRY(runs.under(inTime));
  addDiffering(result, run, varying);
  return !hasErrors(run.diagnostics) && !alikeResults(result, broken.run, varying);
}

/// The finding about the pair's store, if its lateness breaks the kernel. `stores`: stores are tried as well as atomics
/// whose results are unused.
Result<std::optional<Diagnostic>> findingOf(const RunResult &result, const RepeatedRun &runs, const StorePair &pair,
                                            bool stores, const StaleReads &stale, std::vector<bool> &varying) {
  const Grid &grid = runs.grid;
  if (pair.lateAtomic)
    if (std::optional<Broken> broken = LANESCOPE_TRY(tryLateAtomic(result, runs, pair, varying))) {
      LateAtomics inTime(runs.program, pair.store, pair.cluster, LateAtomics::When::InTime);
      if (LANESCOPE_TRY(isLateness(result, runs, *broken, inTime, varying))) {
        broken->finding.notes.push_back({grid.spanOf(grid.program->code[pair.access]),
                                         "the missing fence: `fence.acq_rel.gpu` (`__threadfence()`) between the two; "
                                         "a release (`atom.release`, `st.release`) as the later access does it, too"});
        return std::move(broken->finding);
      }
    }
  if (!stores)
    return std::nullopt;
  for (LateStores::Stops stops : {LateStores::Stops::Seen, LateStores::Stops::Quiet}) {
    std::optional<Broken> broken = LANESCOPE_TRY(tryLateStore(result, runs, pair, stops, stale, varying));
    if (!broken)
      continue;
    LateStores visible(runs.program, pair.store, pair.cluster, stops, LateStores::Until::Visible);
    if (!LANESCOPE_TRY(isLateness(result, runs, *broken, visible, varying)))
      continue;
    const Instr &access = grid.program->code[pair.access];
    std::vector<Note> &notes = broken->finding.notes;
    const std::string_view opcode = grid.opcodeOf(access);
    notes.push_back({grid.spanOf(access), text("the later access of the thread, `", opcode, "`")});
    // The order of two stores matters here only to a load that reads both places.
    notes.push_back(
        {grid.spanOf(access), opcode.starts_with("st.")
                                  ? "one load reads what the two store; one store of both is seen whole"
                                  : "the missing fence: `fence.sc.gpu` (`__threadfence()`) between the two; "
                                    "`fence.acq_rel`, a release or an acquire does not keep this order"});
    return std::move(broken->finding);
  }
  return std::nullopt;
}

} // namespace

Result<void> settleLateStores(RunResult &result, const RepeatedRun &runs, const StaleReads &stale) {
  const bool stores = StorePairs::mayFind(runs.program);
  const bool atomics = ScheduleExtent::of(runs.launch).blocks > 1 && StorePairs::mayFindLateAtomics(runs.program);
  if (runs.options.seed != 0 || hasErrors(result.diagnostics) || !runs.grid.checks || runs.launch.deviceCount() > 1 ||
      !(stores || atomics))
    return {};
  StorePairs pairs(runs.program);
  OwnReads ownReads(runs.program);
  if (hasErrors(LANESCOPE_TRY(runs.under({&pairs, &ownReads})).diagnostics))
    return {};
  std::vector<StorePair> found = pairs.found();
  if (!stores)
    std::erase_if(found, [](const StorePair &pair) { return !pair.lateAtomic; });
  const std::vector<OwnRead> &reads = ownReads.found();
  if (found.empty() && reads.empty())
    return {};
  Varying others(result, runs, pairs.arrays());
  std::vector<bool> varying = found.empty() ? std::vector<bool>() : LANESCOPE_TRY(others.outputs());
  for (size_t n = 0; n < std::min(found.size(), kMostTriedStores); ++n)
    if (auto finding = LANESCOPE_TRY(findingOf(result, runs, found[n], stores, stale, varying))) {
      result.diagnostics.push_back(std::move(*finding));
      return {};
    }
  for (size_t n = 0; n < std::min(reads.size(), kMostTriedLoads); ++n)
    if (auto finding = LANESCOPE_TRY(findingOf(result, runs, reads[n], others))) {
      result.diagnostics.push_back(std::move(*finding));
      if (hasErrors(result.diagnostics))
        return {};
    }
  return {};
}

} // namespace lanescope::core::emulator
