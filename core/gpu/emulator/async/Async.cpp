#include "core/gpu/emulator/async/Async.h"

#include "core/gpu/emulator/async/AsyncData.h"
#include "core/gpu/emulator/check/Checks.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/schedule/Cluster.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr Landing kLandings[4] = {Landing::Late, Landing::Late, Landing::OnTime, Landing::Soon};

bool later(const AsyncOp &a, const AsyncOp &b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }

uint64_t mixed(uint64_t x) { // splitmix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// The one whose mbarrier the operation signals.
Block &barrierBlock(Block &block, const AsyncOp &op) { return *block.cluster->blocks[op.signals]; }

bool signal(Block &block, const AsyncOp &op, uint32_t arrivals, int64_t bytes) {
  MbarrierProblem problem;
  Block &target = barrierBlock(block, op);
  Mbarrier *barrier = findMbarrier(target, op.mbarrier, problem);
  if (barrier)
    problem = updateMbarrier(target, *barrier, arrivals, -bytes, op.time);
  if (problem == MbarrierProblem::None)
    return true;
  const char *why = problem == MbarrierProblem::NotInitialised ? "is not initialised any more"
                    : problem == MbarrierProblem::Overwritten  ? "was overwritten by something else"
                                                               : "has a count that leaves its range";
  fault(block.warps[op.warp], *op.instr, "mbarrier",
        text(describeMbarrier(target, op.mbarrier), " that this copy signals ", why), op.lane);
  return false;
}

LaneGroups::Group &groupOf(Block &block, const AsyncOp &op) {
  size_t kind = op.kind == AsyncKind::CpAsync ? kLanes : 0;
  return block.warps[op.warp].groups[kind + op.lane].at(op.group);
}

constexpr size_t kMostHeld = 4096;              // operations that nobody observes
constexpr size_t kMostStaged = size_t(4) << 20; // bytes of theirs

/// Keeps `op` until it is observed. What nobody observes for long moves its data all the same.
bool hold(Block &block, std::vector<AsyncOp> &held, AsyncOp op) {
  size_t staged = 0;
  if (isStore(op))
    for (const AsyncOp &other : held)
      staged += other.staged.size();
  held.push_back(std::move(op));
  if (held.size() <= kMostHeld && staged <= kMostStaged)
    return true;
  bool fine = true;
  auto half = held.begin() + static_cast<long>(held.size() / 2);
  for (auto oldest = held.begin(); oldest != half; ++oldest) {
    Block &issuer = *block.cluster->blocks[oldest->rank];
    fine = fine && (isStore(*oldest) ? writeBack(issuer, *oldest) : land(issuer, *oldest));
  }
  held.erase(held.begin(), half);
  return fine;
}

/// What happens at an operation's modelled time: of a store, first when its source counts as read, then when its target
/// counts as written. False after a fault.
bool complete(Block &block, AsyncOp op) {
  bool late = op.landing == Landing::Late;
  Warp &warp = block.warps[op.warp];
  switch (op.kind) {
  case AsyncKind::BulkLoad:
  case AsyncKind::TensorLoad:
  case AsyncKind::SharedCopy:
  case AsyncKind::RemoteStore:
  case AsyncKind::CpArrive: {
    Block &target = barrierBlock(block, op);
    if (op.kind == AsyncKind::CpArrive && block.checks)
      block.checks->mbarrierAfterCopies(warp, block.clusterRank, op.mbarrier, op.epoch);
    if ((!late || target.liveWarps == 0) && !land(block, op))
      return false;
    const Mbarrier *barrier = target.mbarriers.find(op.mbarrier);
    op.phase = barrier ? barrier->phase : 0;
    uint32_t arrivals = op.kind == AsyncKind::CpArrive ? 1 : 0;
    AsyncOp told = op; // the phase may be observed at once
    told.staged.clear();
    if (!block.grid->instant && !hold(block, target.landing, std::move(op)))
      return false;
    return signal(block, told, arrivals, told.bytes);
  }
  case AsyncKind::CpAsync: {
    if (!late && !land(block, op))
      return false;
    LaneGroups::Group &group = groupOf(block, op);
    --group.unfinished;
    --group.reading;
    uint64_t time = op.time;
    if (!block.grid->instant && !hold(block, warp.held, std::move(op)))
      return false;
    wakeGroupWaiters(warp, time);
    return true;
  }
  case AsyncKind::BulkStore:
  case AsyncKind::TensorStore: break;
  }
  if (!late && !writeBack(block, op))
    return false;
  LaneGroups::Group &group = groupOf(block, op);
  uint64_t time = op.time;
  if (!op.readTold) {
    --group.reading;
    AsyncOp rest = op;
    rest.staged.clear();
    rest.readTold = rest.moved = rest.written = true;
    rest.time += block.grid->instant ? 0 : cost::kBulkWriteBack;
    if (!block.grid->instant && !hold(block, warp.held, std::move(op)))
      return false;
    block.async.push(std::move(rest));
  } else {
    --group.unfinished;
  }
  wakeGroupWaiters(warp, time);
  return true;
}

/// Compares what `op` will do to global memory with what others do there.
bool checkGlobal(Block &block, const AsyncOp &op, Agent agent, Epoch epoch) {
  static thread_local std::vector<GlobalStretch> stretches;
  globalStretches(op, stretches);
  Checker &checks = *block.checks;
  Warp &warp = block.warps[op.warp];
  Access access = !isStore(op) ? Access::Read : op.reduce != ReduceOp::None ? Access::Atomic : Access::Write;
  return checks.asyncGlobal(warp, *op.instr, agent, epoch, op.lane, stretches, access) &&
         (!checks.doubtful() || checks.settleCopy(warp, *op.instr, changesTarget(block, op)));
}

/// Compares what `op` will do with what others do there.
bool checkIssue(Block &block, AsyncOp &op) {
  Checker &checks = *block.checks;
  Warp &warp = block.warps[op.warp];
  switch (op.kind) {
  case AsyncKind::BulkLoad:
  case AsyncKind::TensorLoad:
  case AsyncKind::SharedCopy:
  case AsyncKind::RemoteStore: {
    MbarrierProblem problem;
    const Mbarrier *barrier = findMbarrier(barrierBlock(block, op), op.mbarrier, problem);
    if (!barrier)
      return true; // told when it is signalled
    if (!checks.mbarrierReady(warp, *op.instr, op.lane, op.signals, op.mbarrier))
      return false;
    auto [agent, epoch] = checks.mbarrierCopy(op.signals, op.mbarrier, barrier->phase);
    if (op.kind == AsyncKind::SharedCopy &&
        !checks.asyncRead(warp, *op.instr, agent, epoch, op.lane, static_cast<uint32_t>(op.global), op.bytes,
                          block.clusterRank))
      return false;
    if (!checkGlobal(block, op, agent, epoch))
      return false;
    AsyncWrite what = op.reduce != ReduceOp::None         ? AsyncWrite::Reduction
                      : op.kind == AsyncKind::RemoteStore ? AsyncWrite::Store
                                                          : AsyncWrite::Copy;
    return checks.asyncWrite(warp, *op.instr, agent, epoch, op.lane, op.shared, op.bytes, op.target, what);
  }
  case AsyncKind::CpArrive:
    op.epoch = checks.issued(warp, AsyncUnit::CpAsync);
    return checks.mbarrierReady(warp, *op.instr, op.lane, block.clusterRank, op.mbarrier);
  default: break;
  }
  AsyncUnit unit = op.kind == AsyncKind::CpAsync ? AsyncUnit::CpAsync : AsyncUnit::BulkGroup;
  op.epoch = groupOf(block, op).epoch = checks.issue(warp, unit);
  Agent agent = checks.unitOf(warp, unit);
  if (!checkGlobal(block, op, isStore(op) ? checks.unitOf(warp, AsyncUnit::BulkWrite) : agent, op.epoch))
    return false;
  return unit == AsyncUnit::CpAsync
             ? checks.asyncWrite(warp, *op.instr, agent, op.epoch, op.lane, op.shared, op.bytes, block.clusterRank,
                                 AsyncWrite::Generic)
             : checks.asyncRead(warp, *op.instr, agent, op.epoch, op.lane, op.shared, op.bytes, block.clusterRank);
}

} // namespace

bool groupsWaited(Warp &warp, bool bulk, uint32_t mask, uint64_t but, bool open, bool read) {
  uint32_t epoch = 0;
  std::array<uint64_t, kLanes> upTo{}; // sequence numbers that each lane has waited for
  forLanes(mask, [&](uint32_t l) {
    const LaneGroups &lane = warp.groups[(bulk ? 0 : kLanes) + l];
    upTo[l] = open ? UINT64_MAX : lane.openSequence() - std::min(but, lane.openSequence());
    epoch = std::max(epoch, lane.erasedEpoch);
    for (size_t n = 0; n + but < lane.groups.size(); ++n)
      epoch = std::max(epoch, lane.groups[n].epoch);
    if (open)
      epoch = std::max(epoch, lane.open.epoch);
  });
  Block &block = *warp.block;
  if (block.checks)
    block.checks->waited(warp, bulk ? AsyncUnit::BulkGroup : AsyncUnit::CpAsync, epoch);
  if (block.checks && bulk && !read)
    block.checks->waited(warp, AsyncUnit::BulkWrite, epoch);
  bool fine = true;
  std::erase_if(warp.held, [&](AsyncOp &op) {
    if (bulk != isStore(op) || op.group >= upTo[op.lane])
      return false;
    fine = fine && (bulk ? read ? readSource(block, op) : writeBack(block, op) : land(block, op));
    op.readSeen = true;
    return !(bulk && read);
  });
  return fine;
}

bool phaseObserved(Block &block, const Mbarrier &barrier) {
  bool fine = true;
  std::erase_if(block.landing, [&](AsyncOp &op) {
    if (op.mbarrier != barrier.address || op.phase >= barrier.phase)
      return false;
    Block &issuer = *block.cluster->blocks[op.rank];
    if (op.kind == AsyncKind::CpArrive) {
      std::erase_if(issuer.warps[op.warp].held, [&](AsyncOp &copy) {
        bool before = copy.kind == AsyncKind::CpAsync && copy.lane == op.lane && copy.order < op.order;
        fine = fine && (!before || land(issuer, copy));
        return before;
      });
    } else {
      fine = fine && land(issuer, op);
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
      fine = fine && (!isStore(op) || writeBack(block, op));
    warp.held.clear();
  }
  block.landing.clear(); // who could look is gone
  for (const auto &other : block.cluster->blocks)
    for (AsyncOp &op : other->landing)
      if (op.kind == AsyncKind::SharedCopy && op.rank == block.clusterRank)
        fine = fine && land(block, op);
  return fine;
}

void AsyncQueue::push(AsyncOp op) {
  op.order = sequence_++;
  ops_.push_back(std::move(op));
  std::ranges::push_heap(ops_, later);
}

AsyncOp AsyncQueue::pop() {
  std::ranges::pop_heap(ops_, later);
  AsyncOp op = std::move(ops_.back());
  ops_.pop_back();
  return op;
}

/// Completes `op` (one half of a store), and records it.
static bool completeOne(Block &block, AsyncOp op) {
  ++block.effects;
  FlightRecorder *flights = block.grid->flights;
  if (!flights)
    return complete(block, std::move(op));
  AsyncOp told = op;
  told.staged.clear();
  flights->completing(block, told);
  if (!complete(block, std::move(op)))
    return false;
  if (!isStore(told) || told.readTold)
    flights->completed(block, told);
  return true;
}

bool issueAsync(Block &block, AsyncOp op, uint64_t now) {
  if (block.checks && !checkIssue(block, op))
    return false;
  op.issued = now;
  op.rank = block.clusterRank;
  ++block.effects;
  if (block.grid->instant) {
    op.landing = Landing::Soon;
    op.time = std::max(op.time, now);
    return completeOne(block, std::move(op)) && (block.async.empty() || completeDue(block, now));
  }
  uint64_t begin = std::max(now, block.async.unitFree);
  uint64_t busy = op.bytes / cost::kBulkBytesPerCycle;
  block.async.unitFree = begin + busy;
  uint64_t random = mixed(block.grid->seed ^ (static_cast<uint64_t>(block.linear) << 32) ^ block.async.issued());
  uint64_t start = op.kind == AsyncKind::CpAsync       ? cost::kGlobalLatency
                   : op.kind == AsyncKind::RemoteStore ? cost::kRemoteLatency
                                                       : cost::kBulkStart;
  op.time = std::max(op.time, begin + busy + start + random % cost::kJitter);
  if (block.grid->seed)
    op.landing = kLandings[random >> 32 & 3];
  if (op.landing == Landing::Soon && !(isStore(op) ? writeBack(block, op) : land(block, op)))
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
