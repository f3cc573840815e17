#include "core/emulator/Checks.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMaxFlags = 4096; // beyond, all flags are one: they order more than they should, never less
constexpr uint64_t kVagueFlag = 0, kAnyFlag = 1;
constexpr size_t kFlagAddresses = 4; // of one instruction
constexpr uint64_t kSharedFlag = 1ull << 63;

} // namespace

void Checker::begin(const Grid &grid, uint32_t blocks, uint32_t warpsPerBlock, uint32_t sharedBytes) {
  grid_ = &grid;
  warpsPerBlock_ = warpsPerBlock;
  warps_ = blocks * warpsPerBlock;
  shadow_.begin(blocks, sharedBytes, grid.program->granule);
  views_.assign(warps_, View{});
  for (uint32_t w = 0; w < warps_; ++w)
    views_[w].seen.raise(static_cast<Agent>(w), 1);
  unitEpochs_.assign(4 * size_t(warps_), 0);
  named_.assign(size_t(blocks) * kNamedBarriers, View{});
  cluster_.clear();
  clusterDone_.clear();
  barriers_.clear();
  lastBarrier_ = 0;
  wgmma_.assign(warps_, WgmmaState{});
  for (WgmmaState &state : wgmma_)
    state.registers.resize(grid.program->trackedRegisters.size());
  flags_.clear();
  unwritten_.reset();
}

Agent Checker::unitOf(const Warp &warp, AsyncUnit unit) const {
  uint32_t w = globalWarp(warp);
  if (unit == AsyncUnit::Wgmma)
    w = warp.block->clusterRank * warpsPerBlock_ + warp.id / 4;
  return static_cast<Agent>(static_cast<uint32_t>(unit) * warps_ + w);
}

Epoch Checker::issue(const Warp &warp, AsyncUnit unit) {
  return ++unitEpochs_[static_cast<size_t>(unit) * warps_ + globalWarp(warp)];
}

void Checker::waited(const Warp &warp, AsyncUnit unit, Epoch epoch) {
  View &view = views_[globalWarp(warp)];
  view.seen.raise(unitOf(warp, unit), epoch);
}

Use Checker::useOf(const Warp &warp, const Instr &i, Agent agent, Epoch epoch) const {
  Use use;
  use.agent = agent;
  use.epoch = epoch;
  use.pc = static_cast<uint32_t>(&i - warp.block->grid->program->code.data());
  return use;
}

// --- synchronisation -------------------------------------------------------------------------------------------------

void Checker::proxyFence(const Warp &warp) {
  uint32_t w = globalWarp(warp);
  View &view = views_[w];
  view.fenced.join(view.seen);
  view.seen.raise(static_cast<Agent>(w), view.seen[static_cast<Agent>(w)] + 1); // later writes are not fenced
}

void Checker::arriveAt(const Warp &warp, View &barrier) {
  uint32_t w = globalWarp(warp);
  View &view = views_[w];
  barrier.join(view);
  view.seen.raise(static_cast<Agent>(w), view.seen[static_cast<Agent>(w)] + 1);
}

void Checker::passed(const Warp &warp, const View &barrier) { views_[globalWarp(warp)].join(barrier); }

Checker::BarrierState &Checker::barrier(uint32_t rank, uint32_t address) {
  if (lastBarrier_ < barriers_.size() && barriers_[lastBarrier_].address == address &&
      barriers_[lastBarrier_].rank == rank)
    return barriers_[lastBarrier_];
  for (lastBarrier_ = 0; lastBarrier_ < barriers_.size(); ++lastBarrier_)
    if (barriers_[lastBarrier_].address == address && barriers_[lastBarrier_].rank == rank)
      return barriers_[lastBarrier_];
  BarrierState state;
  state.rank = rank;
  state.address = address;
  state.agent = static_cast<Agent>(static_cast<uint32_t>(AsyncUnit::Mbarrier) * warps_ + barriers_.size());
  barriers_.push_back(std::move(state));
  return barriers_.back();
}

void Checker::mbarrierInit(uint32_t rank, uint32_t address) {
  BarrierState &state = barrier(rank, address);
  state.base = state.last; // epochs of the barrier that was here before stay smaller
  state.pending.clear();
  state.done.clear();
}

void Checker::mbarrierArrive(const Warp &warp, uint32_t rank, uint32_t address) {
  arriveAt(warp, barrier(rank, address).pending);
}

void Checker::mbarrierPhase(uint32_t rank, uint32_t address, uint64_t phase) {
  BarrierState &state = barrier(rank, address);
  state.done.join(state.pending);
  state.done.seen.raise(state.agent, state.base + static_cast<Epoch>(phase));
  state.pending.clear();
}

void Checker::mbarrierObserved(const Warp &warp, uint32_t rank, uint32_t address) {
  passed(warp, barrier(rank, address).done);
}

std::pair<Agent, Epoch> Checker::mbarrierCopy(uint32_t rank, uint32_t address, uint64_t phase) {
  BarrierState &state = barrier(rank, address);
  Epoch epoch = state.base + static_cast<Epoch>(phase) + 1;
  state.last = std::max(state.last, epoch);
  return {state.agent, epoch};
}

void Checker::mbarrierAfterCopies(const Warp &warp, uint32_t rank, uint32_t address, Epoch epoch) {
  View &pending = barrier(rank, address).pending;
  pending.seen.raise(unitOf(warp, AsyncUnit::CpAsync), epoch);
  arriveAt(warp, pending);
}

void Checker::globalFlag(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, Access access) {
  bool acquires = access == Access::Read || (access == Access::Atomic && i.d != kNone);
  bool releases = access != Access::Read;
  uint64_t keys[kFlagAddresses];
  size_t count = 0;
  bool many = flags_.size() >= kMaxFlags;
  for (uint32_t l = 0; l < 32 && !many; ++l)
    if ((mask >> l & 1) && std::find(keys, keys + count, addresses[l]) == keys + count) {
      many = count == kFlagAddresses;
      if (!many)
        keys[count++] = addresses[l];
    }
  // Who names many addresses at once releases into `kVagueFlag`, which everybody acquires from, and acquires from all.
  if (many) {
    keys[0] = acquires ? kAnyFlag : kVagueFlag;
    count = 1;
  }
  for (size_t n = 0; n < count; ++n) {
    if (acquires)
      passed(warp, flags_[keys[n]]);
    if (releases)
      arriveAt(warp, flags_[many ? kVagueFlag : keys[n]]);
  }
  if (acquires)
    passed(warp, flags_[kVagueFlag]);
  if (releases)
    arriveAt(warp, flags_[kAnyFlag]);
}

// --- accesses --------------------------------------------------------------------------------------------------------

bool Checker::readCells(Warp &warp, const Instr &i, const Use &me, bool byUnit, uint32_t lane, uint32_t address,
                        uint32_t bytes, uint32_t rank) {
  const View &view = views_[globalWarp(warp)];
  Cell *cells = shadow_.cells(rank, address - kSharedBase);
  for (uint32_t n = 0, count = shadow_.count(bytes); n < count; ++n) {
    Cell &cell = cells[n];
    if (cell.write != okWrite_ || cell.write == kNoUse) {
      if (cell.write == kNoUse) {
        if (unitKind(me.agent) != AsyncUnit::BulkGroup) // a store's box may be larger than what counts
          noteUnwritten(warp, i, lane, address + shadow_.offsetOf(n));
      } else {
        const Use &other = shadow_.use(cell.write);
        bool ordered = view.seen.covers(other.agent, other.epoch) || (me.atomic && other.atomic) ||
                       (!byUnit && other.agent == me.agent);
        bool fenced = !byUnit || other.asyncProxy || view.fenced.covers(other.agent, other.epoch);
        if (!ordered || !fenced)
          return report(warp, i, lane, address + shadow_.offsetOf(n), Access::Read, other, true, byUnit, ordered);
      }
      okWrite_ = cell.write;
    }
    if (cell.reads != oldReads_ || newReads_ == kNoUse) {
      if (cell.reads == newReads_ && newReads_ != kNoUse)
        continue;
      oldReads_ = cell.reads;
      newReads_ = shadow_.addReader(cell.reads, me, view.seen);
    }
    cell.reads = newReads_;
  }
  return true;
}

bool Checker::writeCells(Warp &warp, const Instr &i, const Use &me, uint32_t number, bool byUnit, uint32_t lane,
                         uint32_t address, uint32_t bytes, uint32_t rank) {
  const View &view = views_[globalWarp(warp)];
  Cell *cells = shadow_.cells(rank, address - kSharedBase);
  auto ordered = [&](const Use &other) {
    return view.seen.covers(other.agent, other.epoch) || (me.atomic && other.atomic) ||
           (!byUnit && other.agent == me.agent);
  };
  for (uint32_t n = 0, count = shadow_.count(bytes); n < count; ++n) {
    Cell &cell = cells[n];
    if (cell.write != okWrite_ && cell.write != number) {
      const Use &other = shadow_.use(cell.write);
      if (cell.write != kNoUse && !ordered(other))
        return report(warp, i, lane, address + shadow_.offsetOf(n), Access::Write, other, true, byUnit, false);
      okWrite_ = cell.write;
    }
    if (cell.reads != okReads_) {
      for (uint32_t r = cell.reads; r; r = shadow_.use(r).rest)
        if (!ordered(shadow_.use(r)) && cell.write == kNoUse && byUnit &&
            unitKind(shadow_.use(r).agent) == AsyncUnit::Warp)
          return reportEarlyRead(warp, address + shadow_.offsetOf(n), shadow_.use(r), me);
        else if (!ordered(shadow_.use(r)))
          return report(warp, i, lane, address + shadow_.offsetOf(n), Access::Write, shadow_.use(r), false, byUnit,
                        false);
      okReads_ = cell.reads;
    }
    cell.write = number;
    cell.reads = kNoUse;
  }
  return true;
}

bool Checker::access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                     Access access, uint32_t rank) {
  shadow_.sweepWhenLarge();
  auto w = static_cast<Agent>(globalWarp(warp));
  bool orders = access == Access::Atomic || i.strong;
  auto flagOf = [&](uint32_t lane) -> View & {
    uint64_t key = kSharedFlag | static_cast<uint64_t>(rank) << 32 | static_cast<uint32_t>(addresses[lane]);
    return flags_[flags_.size() < kMaxFlags || flags_.contains(key) ? key : kVagueFlag];
  };
  if (orders && access != Access::Write)
    for (uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1)
        passed(warp, flagOf(l));
  Use me = useOf(warp, i, w, views_[w].seen[w]);
  me.atomic = orders;
  okWrite_ = okReads_ = oldReads_ = newReads_ = kNoUse;
  bool reads = access == Access::Read;
  uint32_t number = reads ? kNoUse : shadow_.add(me);
  for (uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1))
      continue;
    auto address = static_cast<uint32_t>(addresses[l]);
    if (!(reads ? readCells(warp, i, me, false, l, address, bytes, rank)
                : writeCells(warp, i, me, number, false, l, address, bytes, rank)))
      return false;
  }
  if (orders && !reads)
    for (uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1)
        flagOf(l).join(views_[w]);
  if (orders && !reads)
    views_[w].seen.raise(w, views_[w].seen[w] + 1);
  return true;
}

bool Checker::asyncRead(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address,
                        uint32_t bytes, uint32_t rank) {
  shadow_.sweepWhenLarge();
  okWrite_ = oldReads_ = newReads_ = kNoUse;
  return readCells(warp, i, useOf(warp, i, agent, epoch), true, lane, address, bytes, rank);
}

bool Checker::asyncReadChunks(Warp &warp, const Instr &i, Agent agent, Epoch epoch, std::span<const uint32_t> addresses,
                              uint32_t rank) {
  shadow_.sweepWhenLarge();
  okWrite_ = oldReads_ = newReads_ = kNoUse;
  Use me = useOf(warp, i, agent, epoch);
  for (uint32_t address : addresses)
    if (!readCells(warp, i, me, true, kNone, address, 16, rank))
      return false;
  return true;
}

bool Checker::asyncWrite(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address,
                         uint32_t bytes, uint32_t rank, bool reduces) {
  shadow_.sweepWhenLarge();
  okWrite_ = okReads_ = kNoUse;
  Use me = useOf(warp, i, agent, epoch);
  me.atomic = reduces;
  me.asyncProxy = agent >= static_cast<uint32_t>(AsyncUnit::Mbarrier) * warps_;
  return writeCells(warp, i, me, shadow_.add(me), true, lane, address, bytes, rank);
}

// --- wgmma's registers -----------------------------------------------------------------------------------------------

void Checker::wgmmaFence(const Warp &warp) { ++wgmma_[globalWarp(warp)].fences; }

void Checker::wgmmaWaited(const Warp &warp, Epoch operations) {
  WgmmaState &state = wgmma_[globalWarp(warp)];
  if (operations <= state.waited)
    return;
  state.pcs.erase(state.pcs.begin(), state.pcs.begin() + (operations - state.waited));
  state.waited = operations;
  waited(warp, AsyncUnit::Wgmma, operations);
}

} // namespace lanescope::core::emulator
