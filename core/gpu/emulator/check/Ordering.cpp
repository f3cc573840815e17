#include "core/gpu/emulator/check/Ordering.h"

#include <algorithm>

namespace lanescope::core::emulator {

void Ordering::begin(const Grid &grid, uint32_t blocks, uint32_t warpsPerBlock) {
  grid_ = &grid;
  warpsPerBlock_ = warpsPerBlock;
  warps_ = blocks * warpsPerBlock;
  views_.assign(warps_, View{});
  for (uint32_t w = 0; w < warps_; ++w)
    views_[w].seen.raise(static_cast<Agent>(w), 1);
  unitEpochs_.assign(static_cast<size_t>(AsyncUnit::Wgmma) * warps_, 0);
  named_.assign(size_t(blocks) * kNamedBarriers, View{});
  cluster_.clear();
  clusterDone_.clear();
  mbarriers_.clear();
  lastMbarrier_ = 0;
  flags_.clear();
}

Agent Ordering::unitOf(const Warp &warp, AsyncUnit unit) const {
  uint32_t w = numberOf(warp);
  if (unit == AsyncUnit::Wgmma)
    w = warp.block->clusterRank * warpsPerBlock_ + warp.id / 4;
  return static_cast<Agent>(static_cast<uint32_t>(unit) * warps_ + w);
}

AsyncUnit Ordering::kindOf(Agent agent) const {
  return static_cast<AsyncUnit>(std::min<uint32_t>(agent / warps_, static_cast<uint32_t>(AsyncUnit::Mbarrier)));
}

uint32_t Ordering::ownerOf(Agent agent) const {
  uint32_t owner = agent % warps_;
  if (kindOf(agent) == AsyncUnit::Wgmma) // a warpgroup's
    return owner / warpsPerBlock_ * warpsPerBlock_ + owner % warpsPerBlock_ * 4;
  return owner;
}

Epoch Ordering::issue(const Warp &warp, AsyncUnit unit) {
  return ++unitEpochs_[static_cast<size_t>(unit) * warps_ + numberOf(warp)];
}

void Ordering::waited(const Warp &warp, AsyncUnit unit, Epoch epoch) {
  views_[numberOf(warp)].seen.raise(unitOf(warp, unit), epoch);
}

bool Ordering::covers(const View &barrier) const {
  auto unit = [&](AsyncUnit which) { return static_cast<uint32_t>(which) * warps_; };
  for (uint32_t n = unit(AsyncUnit::CpAsync); n < unit(AsyncUnit::BulkWrite); ++n)
    if (unitEpochs_[n] > barrier.seen[static_cast<Agent>(n)])
      return false;
  return std::ranges::all_of(mbarriers_,
                             [&](const BarrierState &state) { return state.last <= barrier.seen[state.agent]; });
}

void Ordering::proxyFence(const Warp &warp) {
  uint32_t w = numberOf(warp);
  views_[w].fenced.join(views_[w].seen);
  advance(w); // later writes are not fenced
}

Ordering::BarrierState &Ordering::mbarrier(uint32_t rank, uint32_t address) {
  if (lastMbarrier_ < mbarriers_.size() && mbarriers_[lastMbarrier_].address == address &&
      mbarriers_[lastMbarrier_].rank == rank)
    return mbarriers_[lastMbarrier_];
  for (lastMbarrier_ = 0; lastMbarrier_ < mbarriers_.size(); ++lastMbarrier_)
    if (mbarriers_[lastMbarrier_].address == address && mbarriers_[lastMbarrier_].rank == rank)
      return mbarriers_[lastMbarrier_];
  BarrierState state;
  state.rank = rank;
  state.address = address;
  state.agent = static_cast<Agent>(static_cast<uint32_t>(AsyncUnit::Mbarrier) * warps_ + mbarriers_.size());
  mbarriers_.push_back(std::move(state));
  return mbarriers_.back();
}

void Ordering::mbarrierInit(const Warp &warp, const Instr &i, uint32_t rank, uint32_t address) {
  BarrierState &state = mbarrier(rank, address);
  state.base = state.last; // epochs of the barrier that was here before stay smaller
  state.pending.clear();
  state.done.clear();
  state.init = useOf(warp, i);
}

void Ordering::mbarrierArrive(const Warp &warp, uint32_t rank, uint32_t address) {
  arriveAt(warp, mbarrier(rank, address).pending);
}

void Ordering::mbarrierPhase(uint32_t rank, uint32_t address, uint64_t phase) {
  BarrierState &state = mbarrier(rank, address);
  state.done.join(state.pending);
  state.done.seen.raise(state.agent, state.base + static_cast<Epoch>(phase));
  state.pending.clear();
}

void Ordering::mbarrierObserved(const Warp &warp, uint32_t rank, uint32_t address) {
  passed(warp, mbarrier(rank, address).done);
}

std::pair<Agent, Epoch> Ordering::mbarrierCopy(uint32_t rank, uint32_t address, uint64_t phase) {
  BarrierState &state = mbarrier(rank, address);
  Epoch epoch = state.base + static_cast<Epoch>(phase) + 1;
  state.last = std::max(state.last, epoch);
  return {state.agent, epoch};
}

void Ordering::mbarrierAfterCopies(const Warp &warp, uint32_t rank, uint32_t address, Epoch epoch) {
  View &pending = mbarrier(rank, address).pending;
  pending.seen.raise(unitOf(warp, AsyncUnit::CpAsync), epoch);
  arriveAt(warp, pending);
}

} // namespace lanescope::core::emulator
