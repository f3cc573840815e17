#include "core/gpu/emulator/async/IssueChecks.h"

#include "core/gpu/emulator/async/AsyncData.h"
#include "core/gpu/emulator/async/TileRows.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/sync/Mbarriers.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

bool hasSameTarget(const BulkStore &a, const BulkStore &b) { return a.global == b.global && a.byteMask == b.byteMask; }
bool hasSameTarget(const TensorStore &a, const TensorStore &b) {
  const TensorMap &one = a.tile.map, &other = b.tile.map;
  return one.global == other.global && one.sizes == other.sizes && one.strides == other.strides &&
         one.box == other.box && a.tile.coordinates == b.tile.coordinates;
}

bool isCopy(const BulkStore &store) { return store.reduction.op == ReduceOp::None; }
bool isCopy(const TensorStore &store) { return store.reduction == ReduceOp::None; }

/// True if two stores write the same bytes. `before` is in flight.
bool bringsTheSame(Block &block, const AsyncOp &op, const AsyncOp &before) {
  AsyncOp one = op, other = before;
  return stageSource(block, one) && stageSource(block, other) && storeOf(one)->staged == storeOf(other)->staged;
}

/// True if the store repeats another one in flight, from the same source to the same target. In epilogues of CUTLASS
/// and ThunderKittens, each lane issues the store. In JAX's pipelines with several warpgroups, each warpgroup issues
/// it. A change of the source meanwhile is a fault of its own. If another warp issued the earlier store, that store
/// must not have read its source yet. Two stores of the same bytes do not race, like two equal writes of warps.
template <class Store> bool repeatsStore(Block &block, const AsyncOp &op, const Store &store) {
  auto isOne = [&](const AsyncOp &other) {
    const auto *before = std::get_if<Store>(&other.what);
    if (!before || other.bytes != op.bytes || !hasSameTarget(*before, store))
      return false;
    if (other.instr == op.instr && before->from == store.from)
      return other.warp == op.warp || !before->state.sourceRead;
    return isCopy(store) && isCopy(*before) && bringsTheSame(block, op, other);
  };
  return std::ranges::any_of(block.async.all(), isOne) ||
         std::ranges::any_of(block.warps, [&](const Warp &warp) { return std::ranges::any_of(warp.held, isOne); });
}

/// True if the operation writes the bytes that its target already holds, or that a store in flight will write there.
bool changesNothing(Block &block, const AsyncOp &op) {
  const auto *bulk = std::get_if<BulkStore>(&op.what);
  const auto *tensor = std::get_if<TensorStore>(&op.what);
  return (bulk && repeatsStore(block, op, *bulk)) || (tensor && repeatsStore(block, op, *tensor)) ||
         !changesTarget(block, op);
}

bool checkGlobal(Block &block, const AsyncOp &op, Agent agent, Epoch epoch, Access access) {
  static thread_local std::vector<GlobalStretch> stretches;
  globalStretches(*block.grid, op, stretches);
  GlobalRaces &races = block.checks->global;
  Warp &warp = block.warps[op.warp];
  return races.asyncAccess(warp, *op.instr, agent, epoch, op.lane, stretches, access) &&
         (!races.doubtful() || races.settleCopy(warp, *op.instr, !changesNothing(block, op)));
}

/// Checks the use of a descriptor in global memory. The copy reads it until `epoch` of `agent` is over.
bool checkDescriptor(Block &block, const AsyncOp &op, const Tile &tile, Agent agent, Epoch epoch) {
  if (tile.descriptor == 0)
    return true;
  Checker &checks = *block.checks;
  Warp &warp = block.warps[op.warp];
  GlobalStretch map{tile.descriptor, kTensorMapBytes};
  return checks.global.asyncAccess(warp, *op.instr, agent, epoch, op.lane, {&map, 1}, Access::Read) &&
         checks.maps.used(warp, *op.instr, op.lane, tile.descriptor);
}

AsyncWrite writeOf(const BulkLoad &) { return AsyncWrite::Copy; }
AsyncWrite writeOf(const TensorLoad &) { return AsyncWrite::Copy; }
AsyncWrite writeOf(const LaunchAnswer &) { return AsyncWrite::Copy; }
AsyncWrite writeOf(const SharedCopy &copy) {
  return copy.reduction.op != ReduceOp::None ? AsyncWrite::Reduction : AsyncWrite::Copy;
}
AsyncWrite writeOf(const RemoteStore &store) {
  return store.reduction.op != ReduceOp::None ? AsyncWrite::GenericReduction : AsyncWrite::Generic;
}

/// Checks a copy whose landing an mbarrier signals.
template <class Load> bool check(Block &block, const AsyncOp &op, Load &load) {
  Checker &checks = *block.checks;
  Warp &warp = block.warps[op.warp];
  Signal &signal = load.signal;
  MbarrierProblem problem;
  const Mbarrier *barrier = findMbarrier(*block.cluster->blocks[signal.rank], signal.mbarrier, problem);
  if (!barrier)
    return true; // the missing mbarrier is reported when the copy signals it
  if (!checks.mbarrierReady(warp, *op.instr, op.lane, signal.rank, signal.mbarrier))
    return false;
  if (writeOf(load) == AsyncWrite::Copy &&
      !checks.shared.reportUnfencedInit(warp, *op.instr, op.lane, signal.rank, signal.mbarrier))
    return false;
  signal.phase = barrier->phase; // Phases::completed() uses this to find copies that their phase does not wait for
  auto [agent, epoch] = checks.order.mbarrierCopy(block.warps[op.warp], signal.rank, signal.mbarrier, barrier->phase);
  if constexpr (requires { load.tile; })
    if (!checkDescriptor(block, op, load.tile, agent, epoch))
      return false;
  if constexpr (requires { load.from; })
    if (!checks.shared.asyncRead(warp, *op.instr, {agent, epoch, op.lane},
                                 {block.clusterRank, static_cast<uint32_t>(load.from), op.bytes}))
      return false;
  return checkGlobal(block, op, agent, epoch, Access::Read) &&
         checks.shared.asyncWrite(warp, *op.instr, {agent, epoch, op.lane},
                                  {load.to.rank, load.to.address, sharedExtent(op)}, writeOf(load));
}

bool check(Block &block, const AsyncOp &op, CpArrive &arrive) {
  Warp &warp = block.warps[op.warp];
  arrive.epoch = block.checks->order.issued(warp, AsyncUnit::CpAsync);
  return block.checks->mbarrierReady(warp, *op.instr, op.lane, block.clusterRank, arrive.signal.mbarrier);
}

bool check(Block &block, const AsyncOp &op, Tcgen05Commit &commit) {
  Warp &warp = block.warps[op.warp];
  if (!block.checks->mbarrierReady(warp, *op.instr, op.lane, commit.signal.rank, commit.signal.mbarrier))
    return false;
  commit.ticket = block.checks->order.commit(warp);
  return true;
}

bool check(Block &block, const AsyncOp &op, CpAsync &copy) {
  Checker &checks = *block.checks;
  Warp &warp = block.warps[op.warp];
  Epoch epoch = checks.order.issue(warp, AsyncUnit::CpAsync);
  warp.laneGroups(op.lane, false).at(copy.group).epoch = epoch;
  Agent agent = checks.order.unitOf(warp, AsyncUnit::CpAsync);
  return checkGlobal(block, op, agent, epoch, Access::Read) &&
         checks.shared.asyncWrite(warp, *op.instr, {agent, epoch, op.lane}, {block.clusterRank, copy.to, op.bytes},
                                  AsyncWrite::Generic);
}

bool checkStore(Block &block, const AsyncOp &op, uint32_t from, ReduceOp reduction, const StoreState &state,
                bool whole) {
  Checker &checks = *block.checks;
  Warp &warp = block.warps[op.warp];
  Epoch epoch = checks.order.issue(warp, AsyncUnit::BulkGroup);
  warp.laneGroups(op.lane, true).at(state.group).epoch = epoch;
  return checkGlobal(block, op, checks.order.unitOf(warp, AsyncUnit::BulkWrite), epoch,
                     reduction != ReduceOp::None ? Access::Atomic : Access::Write) &&
         checks.shared.asyncRead(warp, *op.instr, {checks.order.unitOf(warp, AsyncUnit::BulkGroup), epoch, op.lane},
                                 {block.clusterRank, from, op.bytes}, whole);
}
bool check(Block &block, const AsyncOp &op, BulkStore &store) {
  return checkStore(block, op, store.from, store.reduction.op, store.state, store.byteMask == 0xFFFF);
}

/// True if the whole tile lies inside its array.
bool isInside(const Tile &tile) {
  const TensorMap &map = tile.map;
  if (map.mode != TmaMode::Tiled || tile.chosenRows)
    return false;
  for (int n = 0; n < map.rank; ++n)
    if (tile.coordinates[n] < 0 || tile.coordinates[n] + uint64_t{map.box[n]} > map.sizes[n])
      return false;
  return true;
}

/// A store sends only a part of a tile. Records the bytes of that part that no thread has written.
void checkSent(Block &block, const AsyncOp &op, const TensorStore &store) {
  constexpr uint32_t kChunk = 16; // bytes that a swizzle moves as a whole
  forRows(store.tile, [&](uint64_t, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    for (uint32_t at = first; at < last;) {
      uint32_t address = store.from + offset + at, bytes = std::min(last - at, kChunk - address % kChunk);
      block.checks->shared.sent(block.warps[op.warp], *op.instr, op.lane, swizzled(address, store.tile.map.swizzle),
                                bytes, block.clusterRank);
      at += bytes;
    }
  });
}
bool check(Block &block, const AsyncOp &op, TensorStore &store) {
  // `.read` also waits for the read of the descriptor (PTX ISA, `cp.async.bulk.wait_group`).
  Warp &warp = block.warps[op.warp];
  Ordering &order = block.checks->order;
  if (!checkDescriptor(block, op, store.tile, order.unitOf(warp, AsyncUnit::BulkGroup),
                       order.issued(warp, AsyncUnit::BulkGroup) + 1))
    return false;
  bool whole = isInside(store.tile);
  if (!checkStore(block, op, store.from, store.reduction, store.state, whole))
    return false;
  if (!whole)
    checkSent(block, op, store);
  return true;
}

} // namespace

bool checkIssue(Block &block, AsyncOp &op) {
  return std::visit([&](auto &what) { return check(block, op, what); }, op.what);
}

} // namespace lanescope::core::emulator
