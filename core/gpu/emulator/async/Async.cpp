#include "core/gpu/emulator/async/Async.h"

#include "core/gpu/emulator/async/AsyncData.h"
#include "core/gpu/emulator/async/IssueChecks.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/sync/Mbarriers.h"
#include "core/gpu/emulator/sync/Wake.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr Landing kLandings[4] = {Landing::Late, Landing::Late, Landing::OnTime, Landing::Soon};

uint64_t mixed(uint64_t x) { // splitmix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// Signals the completed operation at its mbarrier.
bool tell(Block &block, const AsyncOp &op, const Signal &signal, uint32_t arrivals) {
  MbarrierProblem problem;
  Block &target = *block.cluster->blocks[signal.rank];
  Mbarrier *barrier = findMbarrier(target, signal.mbarrier, problem);
  if (barrier)
    problem = updateMbarrier(target, *barrier, arrivals, -int64_t{op.bytes}, op.time);
  if (problem == MbarrierProblem::None)
    return true;
  // A commit may complete when the block ends or no longer uses its tensor memory: no thread can wait for its arrival
  // then.
  bool commit = std::holds_alternative<Tcgen05Commit>(op.what);
  Warp &warp = block.warps[op.warp];
  if (commit && problem == MbarrierProblem::NotInitialised)
    return !isNews(block, kUnfinishedMmaKind, block.grid->pcOf(*op.instr)) ||
           hazard(warp, *op.instr, std::string(kUnfinishedMmaKind),
                  Message("{barrier} is invalidated before the tensor core has finished the operations of this commit; "
                          "wait for its phase first",
                          describeMbarrier(target, signal.mbarrier)),
                  op.lane);
  const char *why = problem == MbarrierProblem::NotInitialised ? "is not initialised any more"
                    : problem == MbarrierProblem::Overwritten  ? "was overwritten by something else"
                                                               : "has a count that leaves its range";
  fault(warp, *op.instr, "mbarrier",
        Message("{barrier} that this {} signals {}", describeMbarrier(target, signal.mbarrier),
                commit ? "commit" : "copy", why),
        op.lane);
  return false;
}

constexpr size_t kMostHeld = 4096;              // the most unobserved operations
constexpr size_t kMostStaged = size_t(4) << 20; // the most bytes that they have staged

/// Keeps `op` until it is observed. If there are too many such operations, moves the data of the oldest ones anyway.
bool hold(Block &block, std::vector<AsyncOp> &held, AsyncOp op) {
  size_t staged = 0;
  if (isStore(op))
    for (const AsyncOp &other : held)
      if (const StoreState *store = storeOf(other))
        staged += store->staged.size();
  held.push_back(std::move(op));
  if (held.size() <= kMostHeld && staged <= kMostStaged)
    return true;
  bool fine = true;
  auto half = held.begin() + static_cast<long>(held.size() / 2);
  for (auto oldest = held.begin(); oldest != half; ++oldest)
    fine = land(*block.cluster->blocks[oldest->rank], *oldest) && fine;
  held.erase(held.begin(), half);
  return fine;
}

/// Completes an operation that ends at an mbarrier. The phase counts either the operation's bytes, or the arrival that
/// follows a lane's copies.
bool completeSignalling(Block &block, AsyncOp &op, Signal &signal) {
  Block &target = *block.cluster->blocks[signal.rank];
  const auto *arrive = std::get_if<CpArrive>(&op.what);
  if (arrive && block.checks) {
    const Warp &warp = block.warps[op.warp];
    if (const Mbarrier *counts = block.mbarriers.find(signal.mbarrier))
      block.checks->phases.copiesArrive(warp, *op.instr, op.lane, block, *counts);
    block.checks->order.mbarrierAfterCopies(warp, *op.instr, op.lane, block.clusterRank, signal.mbarrier,
                                            arrive->epoch);
  }
  const auto *commit = std::get_if<Tcgen05Commit>(&op.what);
  if (commit && block.checks)
    block.checks->order.commitDone(commit->ticket, signal.rank, signal.mbarrier);
  if ((op.landing != Landing::Late || target.liveWarps == 0) && !land(block, op))
    return false;
  const Mbarrier *barrier = target.mbarriers.find(signal.mbarrier);
  signal.phase = barrier ? barrier->phase : 0;
  uint32_t arrivals = arrive || commit ? 1 : 0;
  // Before the signal, because the phase may be observed at once.
  return (block.grid->instant || hold(block, target.landing, op)) && tell(block, op, signal, arrivals);
}

bool completeCopy(Block &block, AsyncOp &op, const CpAsync &copy) {
  if (op.landing != Landing::Late && !land(block, op))
    return false;
  Warp &warp = block.warps[op.warp];
  LaneGroups::Group &group = warp.laneGroups(op.lane, false).at(copy.group);
  --group.unfinished;
  --group.reading;
  uint64_t time = op.time;
  if (!block.grid->instant && !hold(block, warp.held, std::move(op)))
    return false;
  wakeGroupWaiters(warp, time);
  return true;
}

/// The first call for a store marks its source as read. The second marks its target as written.
bool completeStore(Block &block, AsyncOp &op, StoreState &store) {
  if (op.landing != Landing::Late && !land(block, op))
    return false;
  Warp &warp = block.warps[op.warp];
  LaneGroups::Group &group = warp.laneGroups(op.lane, true).at(store.group);
  uint64_t time = op.time;
  if (store.readTold) {
    --group.unfinished;
  } else {
    --group.reading;
    std::vector<std::byte> staged = std::move(store.staged);
    AsyncOp rest = op;
    store.staged = std::move(staged);
    StoreState &later = *storeOf(rest);
    later.readTold = later.sourceRead = rest.landed = true;
    rest.time += block.grid->instant ? 0 : cost::kBulkWriteBack;
    if (!block.grid->instant && !hold(block, warp.held, std::move(op)))
      return false;
    block.async.push(std::move(rest));
  }
  wakeGroupWaiters(warp, time);
  return true;
}

/// Completes an operation at its modelled time. Returns false after a fault.
bool complete(Block &block, AsyncOp op) {
  if (Signal *signal = signalOf(op))
    return completeSignalling(block, op, *signal);
  if (StoreState *store = storeOf(op))
    return completeStore(block, op, *store);
  return completeCopy(block, op, std::get<CpAsync>(op.what));
}

} // namespace

bool groupsWaited(Warp &warp, uint32_t mask, const GroupWait &wait) {
  const auto [bulk, but, open, read] = wait;
  uint32_t epoch = 0;
  std::array<uint64_t, kLanes> upTo{}; // sequence numbers that each lane has waited for
  forLanes(mask, [&](uint32_t l) {
    const LaneGroups &lane = warp.laneGroups(l, bulk);
    upTo[l] = open ? UINT64_MAX : lane.openSequence() - std::min(but, lane.openSequence());
    epoch = std::max(epoch, lane.erasedEpoch);
    for (size_t n = 0; n + but < lane.groups.size(); ++n)
      epoch = std::max(epoch, lane.groups[n].epoch);
    if (open)
      epoch = std::max(epoch, lane.open.epoch);
  });
  Block &block = *warp.block;
  if (block.checks && bulk)
    block.checks->order.waited(warp, AsyncUnit::BulkGroup, epoch);
  if (block.checks && !bulk)
    block.checks->order.copiesWaited(warp, mask, epoch);
  if (block.checks && bulk && !read)
    block.checks->order.waited(warp, AsyncUnit::BulkWrite, epoch);
  bool fine = true;
  std::erase_if(warp.held, [&](AsyncOp &op) {
    StoreState *store = storeOf(op);
    if (bulk != (store != nullptr) || (store ? store->group : std::get<CpAsync>(op.what).group) >= upTo[op.lane])
      return false;
    if (store)
      store->readSeen = true;
    fine = (store && read ? stageSource(block, op) : land(block, op)) && fine;
    return !(store && read);
  });
  return fine;
}

bool phaseObserved(Block &block, const Mbarrier &barrier) {
  bool fine = true;
  std::erase_if(block.landing, [&](AsyncOp &op) {
    const Signal &signal = *signalOf(op);
    if (signal.mbarrier != barrier.address || signal.phase >= barrier.phase)
      return false;
    Block &issuer = *block.cluster->blocks[op.rank];
    if (std::holds_alternative<CpArrive>(op.what)) {
      std::erase_if(issuer.warps[op.warp].held, [&](AsyncOp &copy) {
        bool before = std::holds_alternative<CpAsync>(copy.what) && copy.lane == op.lane && copy.order < op.order;
        fine = (!before || land(issuer, copy)) && fine;
        return before;
      });
    } else {
      fine = land(issuer, op) && fine;
    }
    return true;
  });
  return fine;
}

bool finishAsync(Block &block) {
  while (!block.async.empty())
    if (!completeDue(block, block.async.nextTime()))
      return false;
  bool fine = true;
  for (Warp &warp : block.warps) {
    for (AsyncOp &op : warp.held)
      fine = (!isStore(op) || land(block, op)) && fine;
    warp.held.clear();
  }
  block.landing.clear(); // no thread is left that could observe these operations
  for (const auto &other : block.cluster->blocks)
    for (AsyncOp &op : other->landing)
      if (std::holds_alternative<SharedCopy>(op.what) && op.rank == block.clusterRank)
        fine = land(block, op) && fine;
  return fine;
}

/// Completes `op` (or the first or second half of a store), and records it.
static bool completeOne(Block &block, AsyncOp op) {
  ++block.effects;
  FlightRecorder *flights = block.grid->flights;
  if (!flights)
    return complete(block, std::move(op));
  AsyncOp told = op;
  flights->completing(block, told);
  if (!complete(block, std::move(op)))
    return false;
  if (const StoreState *store = storeOf(told); !store || store->readTold)
    flights->completed(block, told);
  return true;
}

/// Lands earlier stores of the same thread, if it has waited for the read of their sources. They reach global memory
/// before the copy, because they take the same path (docs/checks.md, `unawaited-store`).
static bool landStoresBefore(Block &block, const AsyncOp &op) {
  return std::ranges::all_of(block.warps[op.warp].held, [&](AsyncOp &other) {
    const StoreState *store = storeOf(other);
    return !store || !store->readSeen || other.lane != op.lane || land(block, other);
  });
}

/// The bytes that the copy unit could have moved in the time of this copy. Short rows of a box take as long as longer
/// ones.
static uint64_t bytesOfTime(const AsyncOp &op) {
  const auto *load = std::get_if<TensorLoad>(&op.what);
  const auto *store = std::get_if<TensorStore>(&op.what);
  if (!load && !store)
    return op.bytes;
  const TensorMap &map = load ? load->tile.map : store->tile.map;
  uint64_t row = std::max<uint64_t>(uint64_t{map.box[0]} * map.elementBytes, 1);
  return op.bytes / row * std::max(row, cost::kBulkRowBytes);
}

bool issueAsync(Block &block, AsyncOp op, uint64_t now) {
  if (block.checks && !checkIssue(block, op))
    return false;
  op.issued = now;
  op.rank = block.clusterRank;
  ++block.effects;
  // The tensor core has already determined the commit's time.
  bool commit = std::holds_alternative<Tcgen05Commit>(op.what);
  if (block.grid->instant && !commit) {
    op.landing = Landing::Soon;
    op.time = std::max(op.time, now);
    return completeOne(block, std::move(op)) && (block.async.empty() || completeDue(block, now));
  }
  uint64_t begin = commit ? op.time : std::max(now, block.async.unitFree);
  uint64_t busy = bytesOfTime(op) / block.grid->copyBytesPerCycle;
  if (!commit)
    block.async.unitFree = begin + busy;
  uint64_t random = mixed(block.grid->seed ^ (static_cast<uint64_t>(block.linear) << 32) ^
                          (static_cast<uint64_t>(block.grid->device) << 24) ^ block.async.issued());
  uint64_t start = std::holds_alternative<CpAsync>(op.what)       ? cost::kGlobalLatency
                   : std::holds_alternative<RemoteStore>(op.what) ? cost::kRemoteLatency
                                                                  : cost::kBulkStart;
  if (!commit)
    op.time = std::max(op.time, begin + busy + start + random % cost::kJitter);
  if (block.grid->seed)
    op.landing = kLandings[random >> 32 & 3];
  if (block.grid->links)
    block.grid->links->issued(block, op);
  if (!landStoresBefore(block, op) || (op.landing == Landing::Soon && !land(block, op)))
    return false;
  block.async.push(std::move(op));
  return true;
}

bool completeDue(Block &block, uint64_t time) {
  while (block.async.nextTime() <= time)
    if (!completeOne(block, block.async.pop()))
      return false;
  return !block.fault;
}

} // namespace lanescope::core::emulator
