// Instructions between the blocks of a cluster (PTX ISA 9.7.9.22-24, 9.7.13.4, 9.7.9.12): mapa, getctarank,
// barrier.cluster, st.async, red.async. Loads, stores, atomics, mbarriers and copies handle `.shared::cluster` in their
// own families.
#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/sync/ClusterBarrier.h"
#include "core/gpu/emulator/sync/Mbarriers.h"
#include "core/gpu/emulator/sync/WarpSync.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

// --- addresses -----------------------------------------------------------------------------------------------------

/// Maps an address to the same place in the shared memory of the block with rank b.
template <class T> Step mapAddress(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a);
  const uint32_t *ranks = warp.reg<uint32_t>(i.b);
  size_t size = warp.block->cluster->blocks.size();
  alignas(32) T out[kLanes] = {};
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    if (ranks[l] >= size)
      return fault(
          warp, i, "cluster",
          Message("`mapa` names the block of rank {rank}, and the cluster has {blocks} blocks", ranks[l], size), l);
    uint32_t address = 0;
    if (!sharedAddress(warp, i, l, a[l], address))
      return Step::Fault;
    address &= (1u << kRankShift) - 1;
    out[l] = static_cast<T>((static_cast<uint64_t>(a[l]) & ~0xFFFFFFFFull) | rankedAddress(ranks[l], address));
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

template <class T> Step rankOf(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a);
  alignas(32) uint32_t out[kLanes] = {};
  for (uint32_t l = 0; l < kLanes; ++l) {
    uint32_t address = 0;
    if (!(mask >> l & 1))
      continue;
    if (!sharedAddress(warp, i, l, a[l], address))
      return Step::Fault;
    uint32_t named = address >> kRankShift;
    out[l] = named ? named - kRankBias : warp.block->clusterRank;
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

/// mapa d, a, b and getctarank d, a.
template <bool Map> bool decodeRank(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  mods.take("shared::cluster");
  Type type = mods.takeType();
  if (!type.isInteger() || (type.bits != 32 && type.bits != 64) || !d.finish(mods, Map ? 3 : 2))
    return false;
  i.d = d.dest(d.operand(0), Map ? type.bits : 32);
  i.a = d.source(d.operand(1), type);
  if (Map)
    i.b = d.source(d.operand(2), 32);
  if constexpr (Map)
    i.run = type.bits == 32 ? &mapAddress<uint32_t> : &mapAddress<uint64_t>;
  else
    i.run = type.bits == 32 ? &rankOf<uint32_t> : &rankOf<uint64_t>;
  return !d.failed();
}

// --- the barrier ---------------------------------------------------------------------------------------------------

enum ClusterSub : uint8_t { kArrive = 1, kAligned = 2, kClusterRelaxed = 4 };

Step clusterBarrier(Warp &warp, const Instr &i, uint32_t mask) {
  if ((i.sub & kAligned) && !wholeWarp(warp, i, mask))
    return Step::Fault;
  Cluster &cluster = *warp.block->cluster;
  if (i.sub & kArrive) {
    if (uint32_t twice = warp.clusterPending & mask)
      return fault(warp, i, "barrier",
                   "`barrier.cluster.arrive` is executed again without `barrier.cluster.wait` in between",
                   static_cast<uint32_t>(__builtin_ctz(twice)));
    warp.clusterArrived |= mask;
    warp.clusterPending |= mask;
    cluster.open = true;
    cluster.lastArrival = std::max(cluster.lastArrival, warp.time);
    ++warp.block->effects;
    if (warp.block->checks)
      warp.block->checks->order.clusterArrive(warp, mask | ~warp.live,
                                              {(i.sub & kClusterRelaxed) != 0, Scope::Cluster, false, &i});
    releaseIfComplete(cluster);
    return Step::Next;
  }
  if (uint32_t never = mask & ~warp.clusterPending)
    return fault(warp, i, "barrier", "`barrier.cluster.wait` without `barrier.cluster.arrive` before",
                 static_cast<uint32_t>(__builtin_ctz(never)));
  if (warp.clusterArrived & mask) {
    warp.split().state = SplitState::AtCluster;
    return Step::Blocked;
  }
  warp.clusterPending &= ~mask;
  if (warp.block->checks)
    warp.block->checks->order.clusterPassed(warp);
  warp.time = std::max(warp.time, cluster.released);
  return Step::Next;
}

bool decodeBarrier(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("cluster"))
    return false;
  bool arrive = mods.take("arrive");
  if (!arrive && !mods.take("wait"))
    return false;
  bool relaxed = arrive && mods.takeOne({"release", "relaxed"}) == "relaxed";
  if (!arrive)
    mods.take("acquire");
  i.sub = static_cast<uint8_t>((arrive ? kArrive : 0) | (mods.take("aligned") ? kAligned : 0) |
                               (relaxed ? kClusterRelaxed : 0));
  i.cost = cost::kBarrier;
  i.run = &clusterBarrier;
  return d.finish(mods, 0);
}

// --- asynchronous stores -------------------------------------------------------------------------------------------

/// list: the values. addresses: the place and the mbarrier. access: the bytes. sub: the reduction. e: its type.
Step storeAsync(Warp &warp, const Instr &i, uint32_t mask) {
  const Program &program = *warp.block->grid->program;
  const uint32_t *slots = program.lists.data() + i.list;
  uint32_t part = i.access / i.listSize;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    RemoteStore store;
    store.reduction = {static_cast<ReduceOp>(i.sub & 0xF), static_cast<layouts::Dtype>(i.sub >> 4)};
    Block *owner = sharedPlace(warp, i, l, addressIn(warp, program.addresses[i.imm], l), store.to.address,
                               program.addresses[i.imm].space);
    Block *signalled = owner ? sharedPlace(warp, i, l, addressIn(warp, program.addresses[i.imm + 1], l),
                                           store.signal.mbarrier, program.addresses[i.imm + 1].space)
                             : nullptr;
    if (!signalled)
      return Step::Fault;
    if (owner != signalled)
      return fault(warp, i, "cluster",
                   Message("the data goes to {}, but the mbarrier is in {}; both must be in one block", owner->name(),
                           signalled->name()),
                   l);
    uint32_t rank = store.to.rank = store.signal.rank = owner->clusterRank;
    if (!resolve(warp, i, l, rankedAddress(rank, store.to.address), Space::SharedCluster,
                 {i.access, part, Access::Write}) ||
        !resolve(warp, i, l, rankedAddress(rank, store.signal.mbarrier), Space::SharedCluster, {8, 8, Access::Atomic}))
      return Step::Fault;
    MbarrierProblem problem;
    if (!findMbarrier(*owner, store.signal.mbarrier, problem))
      return fault(warp, i, "mbarrier",
                   Message("there is no initialised mbarrier at {place} of {} for this store to signal",
                           describeShared(*owner, store.signal.mbarrier), owner->name()),
                   l);
    for (uint32_t n = 0; n < i.listSize; ++n) {
      if (part == 4)
        std::memcpy(store.value.data() + n * part, warp.reg<uint32_t>(slots[n]) + l, part);
      else
        std::memcpy(store.value.data() + n * part, warp.reg<uint64_t>(slots[n]) + l, part);
    }
    AsyncOp op;
    op.what = store;
    op.bytes = i.access;
    op.instr = &i;
    op.warp = warp.id;
    op.lane = l;
    if (!issueAsync(*warp.block, std::move(op), warp.time))
      return Step::Fault;
  }
  return Step::Yield;
}

bool asyncOperands(Decoder &d, Type type, size_t count, Instr &i) {
  if (!d.sourceList(d.operand(1), type, i))
    return false;
  if (i.listSize != count)
    return d.fail("the number of registers does not match the vector size");
  i.access = static_cast<uint8_t>(type.bits / 8 * count);
  i.imm = d.program().addresses.size();
  i.cost = cost::kAsyncIssue;
  i.run = &storeAsync;
  return d.addAddress(d.operand(0), Space::SharedCluster) && d.addAddress(d.operand(2), Space::SharedCluster) &&
         !d.failed();
}

bool decodeStoreAsync(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!d.current().opcode.starts_with("st.async") || !mods.take("async"))
    return false;
  mods.take("weak");
  mods.take("cluster");
  if (!mods.take("mbarrier::complete_tx::bytes"))
    return false;
  mods.take("shared::cluster");
  std::string_view vector = mods.takeOne({"v2", "v4"});
  size_t count = vector == "v2" ? 2 : vector == "v4" ? 4 : 1;
  Type type = mods.takeType();
  if ((type.bits != 32 && type.bits != 64) || type.packed || type.bits * count > 128 || !d.finish(mods, 3))
    return false;
  return asyncOperands(d, type, count, i);
}

bool decodeRedAsync(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("async"))
    return false;
  mods.take("relaxed");
  mods.take("cluster");
  if (!mods.take("mbarrier::complete_tx::bytes"))
    return false;
  mods.take("shared::cluster");
  struct Named {
    std::string_view name;
    ReduceOp op;
    std::string_view types;
  };
  // PTX ISA, red.async, ".op and .type". Additions of s64 are the same as those of u64.
  static constexpr Named kOps[] = {{"inc", ReduceOp::Inc, "u32"},
                                   {"dec", ReduceOp::Dec, "u32"},
                                   {"min", ReduceOp::Min, "u32 s32"},
                                   {"max", ReduceOp::Max, "u32 s32"},
                                   {"add", ReduceOp::Add, "u32 s32 u64 s64"},
                                   {"and", ReduceOp::And, "b32"},
                                   {"or", ReduceOp::Or, "b32"},
                                   {"xor", ReduceOp::Xor, "b32"}};
  const Named *found = nullptr;
  for (const Named &named : kOps)
    if (!found && mods.take(named.name))
      found = &named;
  Type type = mods.takeType();
  if (!found || type.bits == 0 || found->types.find(type.name) == std::string_view::npos || !d.finish(mods, 3))
    return false;
  using layouts::Dtype;
  Dtype dtype = type.bits == 64 ? Dtype::U64 : type.isSigned() ? Dtype::I32 : Dtype::U32;
  static_assert(static_cast<int>(Dtype::U64) < 16 && static_cast<int>(ReduceOp::Dec) < 16);
  i.sub = static_cast<uint8_t>(static_cast<int>(found->op) | static_cast<int>(dtype) << 4);
  return asyncOperands(d, type, 1, i);
}

} // namespace

bool takeAsyncRelease(Decoder &d, Modifiers &mods) {
  if (!mods.has({"async"}))
    return true;
  bool store = mods.root() == "st"; // ptxas takes a store without `.release`, too
  if (mods.has({"mbarrier::complete_tx::bytes", "v2", "v4", "v8"}) || !(store || mods.has({"release"})) ||
      !mods.has({"gpu", "sys"}))
    return false;
  mods.take("async");
  mods.take("mmio");
  return d.requireTarget(100, "an asynchronous store or reduction without an mbarrier");
}

const Family &clusterFamily() {
  static const Family family{{"mapa", &decodeRank<true>},
                             {"getctarank", &decodeRank<false>},
                             {"barrier", &decodeBarrier},
                             {"st", &decodeStoreAsync},
                             {"red", &decodeRedAsync}};
  return family;
}

} // namespace lanescope::core::emulator
