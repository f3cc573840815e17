#include "core/gpu/emulator/check/Checks.h"

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
  quiet_ = kNoUse + 1;
  matrixReads_.assign((size_t(warps_) + 3) / 4 * kMatrixReads, MatrixRead{});
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

void Checker::allMet(const View &barrier) {
  if (warps_ != warpsPerBlock_) // other blocks have not met
    return;
  auto unit = [&](AsyncUnit which) { return static_cast<uint32_t>(which) * warps_; };
  for (uint32_t n = unit(AsyncUnit::CpAsync); n < unit(AsyncUnit::BulkWrite); ++n)
    if (unitEpochs_[n] > barrier.seen[static_cast<Agent>(n)])
      return;
  for (uint32_t w = 0; w < warps_; ++w)
    if (wgmma_[w].issued > barrier.seen[static_cast<Agent>(unit(AsyncUnit::Wgmma) + w / 4)])
      return;
  for (const BarrierState &state : barriers_)
    if (state.last > barrier.seen[state.agent])
      return;
  quiet_ = shadow_.next();
}

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
  uint32_t quiet = 0;                  // of an access by a warp: Checker::quiet_
  uint32_t quietReads = kNoUse;        // the use that replaces quiet readers
  uint32_t writers = 0;                // that readSlowly() has met
  uint32_t laneAt(uint32_t lane, uint32_t address) const { return rowBytes ? (address - rowStart) / rowBytes : lane; }
  bool ordered(const Use &other) const {
    return view.seen.covers(other.agent, other.epoch) || (me.atomic && other.atomic) ||
           (!byUnit && other.agent == me.agent);
  }
};

/// A few cells that all have the history that was compared with last, or a quiet one.
template <uint32_t N> [[gnu::always_inline]] inline bool Checker::readEasily(Touch &t, Cell *cells) {
  if (t.okWrite && t.newReads && replaceAll<N>(cells, {t.okWrite, t.oldReads}, {t.okWrite, t.newReads}))
    return true;
  if (!t.quiet || !allBelow(cells, N, t.quiet, kNoUse + 1))
    return false;
  if (!t.quietReads) [[unlikely]]
    t.quietReads = shadow_.add(t.me);
  for (uint32_t n = 0; n < N; ++n)
    cells[n].reads = t.quietReads;
  return true;
}

template <uint32_t N> [[gnu::always_inline]] inline bool Checker::writeEasily(Touch &t, Cell *cells) {
  if (replaceAll<N>(cells, {t.okWrite, t.okReads}, {t.number, kNoUse}))
    return true;
  if (!t.quiet || !allBelow(cells, N, t.quiet, kNoUse))
    return false;
  for (uint32_t n = 0; n < N; ++n)
    cells[n] = {t.number, kNoUse};
  return true;
}

constexpr uint32_t kFew = 8; // cells that are compared at once

bool Checker::read(Touch &t, uint32_t lane, uint32_t address, uint32_t bytes) {
  Cell *cells = shadow_.cells(t.rank, address - kSharedBase);
  for (uint32_t n = 0, count = shadow_.count(bytes); n < count;) {
    if (n + kFew <= count && readEasily<kFew>(t, cells + n)) {
      n += kFew;
      continue;
    }
    for (uint32_t end = std::min(count, n + kFew); n < end; ++n)
      if (!readEasily<1>(t, cells + n) && !readSlowly(t, cells[n], lane, address + shadow_.offsetOf(n)))
        return false;
  }
  return true;
}

bool Checker::write(Touch &t, uint32_t lane, uint32_t address, uint32_t bytes) {
  Cell *cells = shadow_.cells(t.rank, address - kSharedBase);
  for (uint32_t n = 0, count = shadow_.count(bytes); n < count;) {
    if (n + kFew <= count && writeEasily<kFew>(t, cells + n)) {
      n += kFew;
      continue;
    }
    for (uint32_t end = std::min(count, n + kFew); n < end; ++n) {
      if (!writeEasily<1>(t, cells + n) && !writeSlowly(t, cells[n], lane, address + shadow_.offsetOf(n)))
        return false;
      cells[n] = {t.number, kNoUse};
    }
  }
  return true;
}

/// N: cells of a lane; 0: not known here.
template <uint32_t N>
bool Checker::accessLanes(Touch &t, uint32_t mask, const uint64_t *addresses, uint32_t bytes, bool reads) {
  for (uint32_t left = mask; left; left &= left - 1) {
    auto l = static_cast<uint32_t>(std::countr_zero(left));
    auto address = static_cast<uint32_t>(addresses[l]);
    if constexpr (N > 0) {
      Cell *cells = shadow_.cells(t.rank, address - kSharedBase);
      if (reads ? readEasily<N>(t, cells) : writeEasily<N>(t, cells)) [[likely]]
        continue;
    }
    if (!(reads ? read(t, l, address, bytes) : write(t, l, address, bytes)))
      return false;
  }
  return true;
}

bool Checker::readSlowly(Touch &t, Cell &cell, uint32_t lane, uint32_t address) {
  lane = t.laneAt(lane, address);
  t.writers += cell.write == kNoUse || cell.write != t.okWrite;
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
  sweepShadow();
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
  touch.quiet = quiet_;
  bool reads = access == Access::Read;
  writes_ += !reads;
  if (!reads)
    touch.number = shadow_.add(touch.me);
  uint32_t count = shadow_.count(bytes);
  if (!(count == 1   ? accessLanes<1>(touch, mask, addresses, bytes, reads)
        : count == 4 ? accessLanes<4>(touch, mask, addresses, bytes, reads)
                     : accessLanes<0>(touch, mask, addresses, bytes, reads)))
    return false;
  if (orders && !reads) {
    for (uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1)
        flagOf(l).join(views_[w]);
    views_[w].seen.raise(w, views_[w].seen[w] + 1);
  }
  return true;
}

bool Checker::accessRow(Warp &warp, const Instr &i, uint32_t address, uint32_t bytes, Access access) {
  sweepShadow();
  auto w = static_cast<Agent>(globalWarp(warp));
  Touch touch{warp, i, useOf(warp, i, w, views_[w].seen[w]), views_[w], warp.block->clusterRank};
  touch.rowStart = address;
  touch.rowBytes = bytes;
  touch.quiet = quiet_;
  bool reads = access == Access::Read;
  writes_ += !reads;
  Cell *cells = shadow_.cells(touch.rank, address - kSharedBase);
  uint32_t count = shadow_.count(bytes * 32);
  if (!reads)
    touch.number = shadow_.add(touch.me);
  if (allBelow(cells, count, quiet_, reads ? kNoUse + 1 : kNoUse)) {
    uint32_t number = reads ? shadow_.add(touch.me) : kNoUse;
    if (reads)
      for (uint32_t n = 0; n < count; ++n)
        cells[n].reads = number;
    else
      std::fill_n(cells, count, Cell{touch.number, kNoUse});
    return true;
  }
  return reads ? read(touch, 0, address, bytes * 32) : write(touch, 0, address, bytes * 32);
}

bool Checker::asyncRead(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address,
                        uint32_t bytes, uint32_t rank) {
  sweepShadow();
  Touch touch{warp, i, useOf(warp, i, agent, epoch), views_[globalWarp(warp)], rank, true};
  touch.me.asyncProxy = true;
  return read(touch, lane, address, bytes);
}

bool Checker::asyncReadChunks(Warp &warp, const Instr &i, Agent agent, Epoch epoch, std::span<const uint32_t> addresses,
                              uint32_t rank, uint64_t matrix) {
  sweepShadow();
  Touch touch{warp, i, useOf(warp, i, agent, epoch), views_[globalWarp(warp)], rank, true};
  touch.me.asyncProxy = true;
  bool four = shadow_.count(16) == 4;
  bool fine = std::ranges::all_of(addresses, [&](uint32_t address) {
    return (four && readEasily<4>(touch, shadow_.cells(rank, address - kSharedBase))) ||
           read(touch, kNone, address, 16);
  });
  if (matrix && fine && touch.writers == 1 && touch.okWrite)
    matrixReads_[globalWarp(warp) / 4 * kMatrixReads + epoch % kMatrixReads] = {matrix, writes_, agent, epoch,
                                                                                touch.okWrite};
  return fine;
}

bool Checker::matrixRead(const Warp &warp, Agent agent, Epoch epoch, uint64_t matrix) const {
  const MatrixRead &last = matrixReads_[globalWarp(warp) / 4 * kMatrixReads + epoch % kMatrixReads];
  if (last.matrix != matrix || last.writes != writes_ || last.agent != agent || last.epoch != epoch)
    return false;
  const View &view = views_[globalWarp(warp)];
  const Use &write = shadow_.use(last.write);
  return view.seen.covers(write.agent, write.epoch) &&
         (write.asyncProxy || view.fenced.covers(write.agent, write.epoch));
}

bool Checker::asyncWrite(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane, uint32_t address,
                         uint32_t bytes, uint32_t rank, AsyncWrite what) {
  sweepShadow();
  Touch touch{warp, i, useOf(warp, i, agent, epoch), views_[globalWarp(warp)], rank, true};
  touch.me.atomic = what == AsyncWrite::Reduction;
  touch.fencesReads = what == AsyncWrite::Copy;
  touch.me.asyncProxy = what != AsyncWrite::Generic;
  ++writes_;
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
