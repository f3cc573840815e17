#include "core/emulator/Checks.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMaxFlags = 4096; // beyond, all flags are one: they order more than they should, never less
constexpr uint64_t kVagueFlag = 0;
constexpr uint64_t kSharedFlag = 1ull << 63;

} // namespace

void Checker::begin(const Grid &grid, GlobalShadow &global, uint32_t cluster, uint32_t blocks, uint32_t warpsPerBlock,
                    uint32_t sharedBytes) {
  grid_ = &grid;
  global_ = &global;
  clusterIndex_ = cluster;
  clusterCount_ = uint64_t(grid.size[0]) * grid.size[1] * grid.size[2] / blocks;
  doubts_.clear();
  lastUses_.assign(2 * size_t(blocks) * warpsPerBlock, LastUse{});
  warpsPerBlock_ = warpsPerBlock;
  warps_ = blocks * warpsPerBlock;
  shadow_.begin(blocks, sharedBytes, grid.program->granule);
  views_.assign(warps_, View{});
  for (uint32_t w = 0; w < warps_; ++w)
    views_[w].seen.raise(static_cast<Agent>(w), 1);
  unitEpochs_.assign(static_cast<size_t>(AsyncUnit::Wgmma) * warps_, 0);
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

void Checker::mbarrierInit(const Warp &warp, const Instr &i, uint32_t rank, uint32_t address) {
  BarrierState &state = barrier(rank, address);
  state.base = state.last; // epochs of the barrier that was here before stay smaller
  state.pending.clear();
  state.done.clear();
  auto w = static_cast<Agent>(globalWarp(warp));
  state.init = useOf(warp, i, w, views_[w].seen[w]);
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

// --- accesses --------------------------------------------------------------------------------------------------------

/// One access of one lane or unit, with what the last cells compared with were: neighbours are mostly the same.
struct Checker::Touch {
  Warp &warp;
  const Instr &i;
  Use me;
  const View &view;
  uint32_t rank = 0;
  bool byUnit = false;
  bool fencesReads = false; // ordinary reads before it have to be fenced
  uint32_t number = kNoUse; // of `me`, when it writes
  uint32_t okWrite = kNoUse, okReads = kNoUse, oldReads = kNoUse, newReads = kNoUse;
  uint32_t rowStart = 0, rowBytes = 0; // of a row: which lane a place belongs to

  uint32_t laneAt(uint32_t lane, uint32_t address) const { return rowBytes ? (address - rowStart) / rowBytes : lane; }
  bool ordered(const Use &other) const {
    return view.seen.covers(other.agent, other.epoch) || (me.atomic && other.atomic) ||
           (!byUnit && other.agent == me.agent);
  }
};

inline bool Checker::read(Touch &t, uint32_t lane, uint32_t address, uint32_t bytes) {
  Cell *cells = shadow_.cells(t.rank, address - kSharedBase);
  for (uint32_t n = 0, count = shadow_.count(bytes); n < count; ++n) {
    Cell &cell = cells[n];
    if (cell.write == t.okWrite && cell.reads == t.oldReads && t.okWrite && t.newReads) [[likely]]
      cell.reads = t.newReads;
    else if (!readSlowly(t, cell, lane, address + shadow_.offsetOf(n)))
      return false;
  }
  return true;
}

inline bool Checker::write(Touch &t, uint32_t lane, uint32_t address, uint32_t bytes) {
  Cell *cells = shadow_.cells(t.rank, address - kSharedBase);
  for (uint32_t n = 0, count = shadow_.count(bytes); n < count; ++n) {
    Cell &cell = cells[n];
    if (!(cell.write == t.okWrite && cell.reads == t.okReads) &&
        !writeSlowly(t, cell, lane, address + shadow_.offsetOf(n))) [[unlikely]]
      return false;
    cell.write = t.number;
    cell.reads = kNoUse;
  }
  return true;
}

bool Checker::readSlowly(Touch &t, Cell &cell, uint32_t lane, uint32_t address) {
  lane = t.laneAt(lane, address);
  if (cell.write == kNoUse) {
    if (unitKind(t.me.agent) != AsyncUnit::BulkGroup) // a store's box may be larger than what counts
      noteUnwritten(t.warp, t.i, lane, address);
  } else if (cell.write != t.okWrite) {
    const Use &other = shadow_.use(cell.write);
    bool ordered = t.ordered(other);
    bool fenced = !t.byUnit || other.asyncProxy || t.view.fenced.covers(other.agent, other.epoch);
    if (!ordered || !fenced)
      return report(t.warp, t.i, lane, address, Access::Read, other, true, t.byUnit, ordered);
    t.okWrite = cell.write;
  }
  if (cell.reads != t.oldReads || !t.newReads) {
    if (cell.reads == t.newReads && t.newReads)
      return true;
    t.oldReads = cell.reads;
    t.newReads = shadow_.addReader(cell.reads, t.me, t.view.seen);
  }
  cell.reads = t.newReads;
  return true;
}

bool Checker::writeSlowly(Touch &t, Cell &cell, uint32_t lane, uint32_t address) {
  lane = t.laneAt(lane, address);
  if (cell.write != t.okWrite && cell.write != t.number) {
    const Use &other = shadow_.use(cell.write);
    if (cell.write != kNoUse && !t.ordered(other))
      return report(t.warp, t.i, lane, address, Access::Write, other, true, t.byUnit, false);
    t.okWrite = cell.write;
  }
  if (cell.reads != t.okReads) {
    for (uint32_t r = cell.reads; r; r = shadow_.use(r).rest) {
      const Use &other = shadow_.use(r);
      if (t.ordered(other)) {
        if (t.fencesReads && !other.asyncProxy && !t.view.fenced.covers(other.agent, other.epoch))
          return report(t.warp, t.i, lane, address, Access::Write, other, false, true, true);
        continue;
      }
      AsyncUnit unit = unitKind(other.agent);
      if (cell.write == kNoUse && t.byUnit && (unit == AsyncUnit::Warp || unit == AsyncUnit::Wgmma))
        return reportEarlyRead(t.warp, address, other, t.me);
      return report(t.warp, t.i, lane, address, Access::Write, other, false, t.byUnit, false);
    }
    t.okReads = cell.reads;
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
  Touch touch{warp, i, useOf(warp, i, w, views_[w].seen[w]), views_[w], rank};
  touch.me.atomic = orders;
  bool reads = access == Access::Read;
  if (!reads)
    touch.number = shadow_.add(touch.me);
  for (uint32_t left = mask; left; left &= left - 1) {
    auto l = static_cast<uint32_t>(std::countr_zero(left));
    auto address = static_cast<uint32_t>(addresses[l]);
    if (!(reads ? read(touch, l, address, bytes) : write(touch, l, address, bytes)))
      return false;
  }
  if (orders && !reads) {
    for (uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1)
        flagOf(l).join(views_[w]);
    views_[w].seen.raise(w, views_[w].seen[w] + 1);
  }
  return true;
}

bool Checker::accessRow(Warp &warp, const Instr &i, uint32_t address, uint32_t bytes, Access access) {
  shadow_.sweepWhenLarge();
  auto w = static_cast<Agent>(globalWarp(warp));
  Touch touch{warp, i, useOf(warp, i, w, views_[w].seen[w]), views_[w], warp.block->clusterRank};
  touch.rowStart = address;
  touch.rowBytes = bytes;
  if (access == Access::Read)
    return read(touch, 0, address, bytes * 32);
  touch.number = shadow_.add(touch.me);
  return write(touch, 0, address, bytes * 32);
}

bool Checker::asyncRead(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address,
                        uint32_t bytes, uint32_t rank) {
  shadow_.sweepWhenLarge();
  Touch touch{warp, i, useOf(warp, i, agent, epoch), views_[globalWarp(warp)], rank, true};
  touch.me.asyncProxy = true;
  return read(touch, lane, address, bytes);
}

bool Checker::asyncReadChunks(Warp &warp, const Instr &i, Agent agent, Epoch epoch, std::span<const uint32_t> addresses,
                              uint32_t rank) {
  shadow_.sweepWhenLarge();
  Touch touch{warp, i, useOf(warp, i, agent, epoch), views_[globalWarp(warp)], rank, true};
  touch.me.asyncProxy = true;
  for (uint32_t address : addresses)
    if (!read(touch, kNone, address, 16))
      return false;
  return true;
}

bool Checker::asyncWrite(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address,
                         uint32_t bytes, uint32_t rank, AsyncWrite what) {
  shadow_.sweepWhenLarge();
  Touch touch{warp, i, useOf(warp, i, agent, epoch), views_[globalWarp(warp)], rank, true};
  touch.me.atomic = what == AsyncWrite::Reduction;
  touch.fencesReads = what == AsyncWrite::Copy;
  touch.me.asyncProxy = what != AsyncWrite::Generic;
  touch.number = shadow_.add(touch.me);
  return write(touch, lane, address, bytes);
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
