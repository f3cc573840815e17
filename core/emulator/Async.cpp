#include "core/emulator/Async.h"

#include "core/emulator/Checks.h"
#include "core/emulator/Cluster.h"
#include "core/emulator/CostModel.h"
#include "core/emulator/Deadlock.h"
#include "core/emulator/FlightRecorder.h"
#include "core/emulator/Memory.h"
#include "core/emulator/Reduce.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

bool later(const AsyncOp &a, const AsyncOp &b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }

uint64_t mixed(uint64_t x) { // splitmix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// Calls visit(row's global address or nothing, shared byte offset in the box, elements before/after the array) for
/// each innermost row of the tile.
template <class F> void forRows(const AsyncOp &op, F visit) {
  const TensorMap &map = op.map;
  uint32_t rowBytes = static_cast<uint32_t>(map.box[0]) * map.elementBytes;
  std::array<uint32_t, 5> at{};
  uint32_t offset = 0;
  for (;;) {
    uint64_t address = map.global;
    bool inside = true;
    for (int n = 1; n < map.rank; ++n) {
      int64_t index = static_cast<int64_t>(op.coordinates[n]) + at[n];
      inside &= index >= 0 && static_cast<uint64_t>(index) < map.sizes[n];
      address += static_cast<uint64_t>(index) * map.strides[n];
    }
    // The part of the row that lies in the array, in elements of the box.
    int64_t first = std::clamp<int64_t>(-static_cast<int64_t>(op.coordinates[0]), 0, map.box[0]);
    int64_t last = std::clamp<int64_t>(static_cast<int64_t>(map.sizes[0]) - op.coordinates[0], first, map.box[0]);
    if (!inside)
      last = first;
    address += static_cast<uint64_t>(static_cast<int64_t>(op.coordinates[0]) + first) * map.elementBytes;
    visit(address, offset, static_cast<uint32_t>(first) * map.elementBytes,
          static_cast<uint32_t>(last) * map.elementBytes, rowBytes);
    offset += rowBytes;
    int n = 1;
    for (; n < map.rank; ++n) {
      if (++at[n] < map.box[n])
        break;
      at[n] = 0;
    }
    if (n >= map.rank)
      return;
  }
}

/// Copies bytes [from, to) of a row between a plain buffer and swizzled shared memory, 16-byte chunk by chunk.
template <class F>
void forChunks(uint32_t shared, uint32_t offset, uint32_t from, uint32_t to, uint32_t swizzle, F visit) {
  if (swizzle == 0) {
    if (from < to)
      visit(shared + offset + from, from, to - from);
    return;
  }
  while (from < to) {
    uint32_t address = shared + offset + from;
    uint32_t size = std::min(to - from, 16 - (address & 15));
    visit(swizzled(address, swizzle), from, size);
    from += size;
  }
}

/// Nearly all pieces are whole chunks, whose copy is two moves.
void copyChunk(std::byte *to, const std::byte *from, uint32_t size) {
  if (size == 16)
    std::memcpy(to, from, 16);
  else
    std::memcpy(to, from, size);
}

std::byte *globalBytes(Block &block, const AsyncOp &op, uint64_t address, uint64_t bytes, Access access) {
  return resolve(block.warps[op.warp], *op.instr, op.lane, address, Space::Generic, bytes, 1, access);
}
Block &targetOf(Block &block, const AsyncOp &op) {
  return op.target == block.clusterRank ? block : *block.cluster->blocks[op.target];
}
/// Of the block that the operation is for.
std::byte *sharedBytes(Block &block, const AsyncOp &op, uint32_t address, uint32_t bytes, Access access) {
  if (op.target != block.clusterRank)
    return resolve(block.warps[op.warp], *op.instr, op.lane, rankedAddress(op.target, address), Space::SharedCluster,
                   bytes, 1, access);
  return resolve(block.warps[op.warp], *op.instr, op.lane, address, Space::Shared, bytes, 1, access);
}

void fillOutside(const TensorMap &map, std::byte *row, uint32_t bytes) {
  std::memset(row, 0, bytes);
  if (!map.oobNan)
    return;
  // The NaN that the hardware fills with has all bits set.
  std::memset(row, 0xFF, bytes);
}

bool loadTile(Block &block, const AsyncOp &op) {
  if (!sharedBytes(block, op, op.shared, op.bytes, Access::Write))
    return false;
  Block &target = targetOf(block, op);
  bool ok = true;
  std::vector<std::byte> row(static_cast<size_t>(op.map.box[0]) * op.map.elementBytes);
  forRows(op, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t rowBytes) {
    if (!ok)
      return;
    if (first > 0 || last < rowBytes)
      fillOutside(op.map, row.data(), rowBytes);
    if (first < last) {
      const std::byte *from = globalBytes(block, op, address, last - first, Access::Read);
      if (!from) {
        ok = false;
        return;
      }
      std::memcpy(row.data() + first, from, last - first);
    }
    forChunks(op.shared, offset, 0, rowBytes, op.map.swizzle, [&](uint32_t to, uint32_t from, uint32_t size) {
      copyChunk(target.shared.data() + (to - kSharedBase), row.data() + from, size);
    });
  });
  return ok;
}

void stageTile(Block &block, AsyncOp &op) {
  op.staged.resize(op.bytes);
  forRows(op, [&](uint64_t, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    forChunks(op.shared, offset, first, last, op.map.swizzle, [&](uint32_t at, uint32_t from, uint32_t size) {
      copyChunk(op.staged.data() + offset + from, block.shared.data() + (at - kSharedBase), size);
    });
  });
}

bool writeTile(Block &block, const AsyncOp &op) {
  bool ok = true;
  forRows(op, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    if (!ok || first >= last)
      return;
    std::byte *to = globalBytes(block, op, address, last - first, Access::Write);
    if (!to)
      ok = false;
    else if (op.reduce != ReduceOp::None)
      reduceInto(op.reduce, op.map.dtype, to, op.staged.data() + offset + first, last - first);
    else
      std::memcpy(to, op.staged.data() + offset + first, last - first);
  });
  return ok;
}

bool signal(Block &block, const AsyncOp &op, uint32_t arrivals, int64_t bytes) {
  MbarrierProblem problem;
  Block &target = targetOf(block, op);
  Mbarrier *barrier = findMbarrier(target, op.mbarrier, problem);
  if (barrier)
    problem = updateMbarrier(target, *barrier, arrivals, -bytes, op.time);
  if (problem == MbarrierProblem::None)
    return true;
  const char *why = problem == MbarrierProblem::NotInitialised ? "is not initialised any more"
                    : problem == MbarrierProblem::Overwritten  ? "was overwritten by something else"
                                                               : "has a count that leaves its range";
  fault(block.warps[op.warp], *op.instr, "mbarrier",
        text("the mbarrier at ", describeShared(target, op.mbarrier), " that this copy signals ", why), op.lane);
  return false;
}

LaneGroups::Group &groupOf(Block &block, const AsyncOp &op) {
  size_t kind = op.kind == AsyncKind::CpAsync ? 32 : 0;
  return block.warps[op.warp].groups[kind + op.lane].at(op.group);
}

/// The first (or only) half of an operation; false after a fault.
bool complete(Block &block, AsyncOp &op) {
  switch (op.kind) {
  case AsyncKind::BulkLoad:
  case AsyncKind::SharedCopy: {
    const std::byte *from = globalBytes(block, op, op.global, op.bytes, Access::Read);
    std::byte *to = sharedBytes(block, op, op.shared, op.bytes, Access::Write);
    if (!from || !to)
      return false;
    if (op.reduce == ReduceOp::None)
      std::memcpy(to, from, op.bytes);
    else
      reduceInto(op.reduce, op.reduceType, to, from, op.bytes);
    return signal(block, op, 0, op.bytes);
  }
  case AsyncKind::TensorLoad: return loadTile(block, op) && signal(block, op, 0, op.bytes);
  case AsyncKind::CpAsync: {
    const std::byte *from = op.sourceBytes ? globalBytes(block, op, op.global, op.sourceBytes, Access::Read) : nullptr;
    std::byte *to = sharedBytes(block, op, op.shared, op.bytes, Access::Write);
    if ((op.sourceBytes && !from) || !to)
      return false;
    std::memset(to, 0, op.bytes);
    if (from)
      std::memcpy(to, from, op.sourceBytes);
    LaneGroups::Group &group = groupOf(block, op);
    --group.unfinished;
    --group.reading;
    wakeGroupWaiters(block.warps[op.warp], op.time);
    return true;
  }
  case AsyncKind::CpArrive:
    if (block.checks)
      block.checks->mbarrierAfterCopies(block.warps[op.warp], block.clusterRank, op.mbarrier, op.epoch);
    return signal(block, op, 1, 0);
  case AsyncKind::RemoteStore: {
    std::byte *to = sharedBytes(block, op, op.shared, op.bytes, Access::Write);
    if (!to)
      return false;
    if (op.reduce == ReduceOp::None)
      std::memcpy(to, op.staged.data(), op.bytes);
    else
      reduceInto(op.reduce, op.reduceType, to, op.staged.data(), op.bytes);
    return signal(block, op, 0, op.bytes);
  }
  case AsyncKind::BulkStore:
  case AsyncKind::TensorStore: break;
  }
  LaneGroups::Group &group = groupOf(block, op);
  if (!op.wroteBack) {
    if (op.kind == AsyncKind::TensorStore) {
      stageTile(block, op);
    } else {
      const std::byte *from = sharedBytes(block, op, op.shared, op.bytes, Access::Read);
      if (!from)
        return false;
      op.staged.assign(from, from + op.bytes);
    }
    --group.reading;
    wakeGroupWaiters(block.warps[op.warp], op.time);
    op.wroteBack = true;
    op.time += block.grid->instant ? 0 : cost::kBulkWriteBack;
    block.async.push(std::move(op));
    return true;
  }
  if (op.kind == AsyncKind::TensorStore) {
    if (!writeTile(block, op))
      return false;
  } else {
    std::byte *to = globalBytes(block, op, op.global, op.bytes, Access::Write);
    if (!to)
      return false;
    if (op.reduce != ReduceOp::None)
      reduceInto(op.reduce, op.reduceType, to, op.staged.data(), op.bytes);
    else
      std::memcpy(to, op.staged.data(), op.bytes);
  }
  --group.unfinished;
  wakeGroupWaiters(block.warps[op.warp], op.time);
  return true;
}

/// Compares what `op` will do to shared memory with what others do there.
bool checkIssue(Block &block, AsyncOp &op) {
  Checker &checks = *block.checks;
  Warp &warp = block.warps[op.warp];
  switch (op.kind) {
  case AsyncKind::BulkLoad:
  case AsyncKind::TensorLoad:
  case AsyncKind::SharedCopy:
  case AsyncKind::RemoteStore: {
    MbarrierProblem problem;
    const Mbarrier *barrier = findMbarrier(targetOf(block, op), op.mbarrier, problem);
    if (!barrier)
      return true; // told when it is signalled
    if (!checks.mbarrierReady(warp, *op.instr, op.lane, op.target, op.mbarrier))
      return false;
    auto [agent, epoch] = checks.mbarrierCopy(op.target, op.mbarrier, barrier->phase);
    if (op.kind == AsyncKind::SharedCopy &&
        !checks.asyncRead(warp, *op.instr, agent, epoch, op.lane, static_cast<uint32_t>(op.global), op.bytes,
                          block.clusterRank))
      return false;
    return checks.asyncWrite(warp, *op.instr, agent, epoch, op.lane, op.shared, op.bytes, op.target,
                             op.reduce != ReduceOp::None);
  }
  case AsyncKind::CpArrive:
    op.epoch = checks.issued(warp, AsyncUnit::CpAsync);
    return checks.mbarrierReady(warp, *op.instr, op.lane, block.clusterRank, op.mbarrier);
  default: break;
  }
  AsyncUnit unit = op.kind == AsyncKind::CpAsync ? AsyncUnit::CpAsync : AsyncUnit::BulkGroup;
  op.epoch = groupOf(block, op).epoch = checks.issue(warp, unit);
  Agent agent = checks.unitOf(warp, unit);
  return unit == AsyncUnit::CpAsync
             ? checks.asyncWrite(warp, *op.instr, agent, op.epoch, op.lane, op.shared, op.bytes, block.clusterRank)
             : checks.asyncRead(warp, *op.instr, agent, op.epoch, op.lane, op.shared, op.bytes, block.clusterRank);
}

} // namespace

void groupsWaited(Warp &warp, bool bulk, uint32_t mask, uint64_t but, bool open) {
  uint32_t epoch = 0;
  for (uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1))
      continue;
    const LaneGroups &lane = warp.groups[(bulk ? 0 : 32) + l];
    epoch = std::max(epoch, lane.erasedEpoch);
    for (size_t n = 0; n + but < lane.groups.size(); ++n)
      epoch = std::max(epoch, lane.groups[n].epoch);
    if (open)
      epoch = std::max(epoch, lane.open.epoch);
  }
  warp.block->checks->waited(warp, bulk ? AsyncUnit::BulkGroup : AsyncUnit::CpAsync, epoch);
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

bool issueAsync(Block &block, AsyncOp op, uint64_t now) {
  if (block.checks && !checkIssue(block, op))
    return false;
  op.issued = now;
  ++block.effects;
  if (block.grid->instant) {
    op.time = std::max(op.time, now);
  } else {
    uint64_t begin = std::max(now, block.async.unitFree);
    uint64_t busy = op.bytes / cost::kBulkBytesPerCycle;
    block.async.unitFree = begin + busy;
    uint64_t jitter =
        mixed(block.grid->seed ^ (static_cast<uint64_t>(block.linear) << 32) ^ block.async.issued()) % cost::kJitter;
    uint64_t start = op.kind == AsyncKind::CpAsync       ? cost::kGlobalLatency
                     : op.kind == AsyncKind::RemoteStore ? cost::kRemoteLatency
                                                         : cost::kBulkStart;
    op.time = std::max(op.time, begin + busy + start + jitter);
  }
  block.async.push(std::move(op));
  return true;
}

bool completeDue(Block &block, uint64_t time) {
  while (block.async.nextTime() <= time) {
    AsyncOp op = block.async.pop();
    ++block.effects;
    FlightRecorder *flights = block.grid->flights;
    bool lastHalf = op.wroteBack || (op.kind != AsyncKind::BulkStore && op.kind != AsyncKind::TensorStore);
    if (flights)
      flights->completing(block, op);
    if (!complete(block, op))
      return false;
    if (flights && lastHalf)
      flights->completed(block, op);
  }
  return !block.fault;
}

} // namespace lanescope::core::emulator
