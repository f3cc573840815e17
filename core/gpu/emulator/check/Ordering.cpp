#include "core/gpu/emulator/check/Ordering.h"

#include <algorithm>

namespace lanescope::core::emulator {

void Ordering::begin(const Grid &grid, uint32_t blocks, uint32_t warpsPerBlock) {
  grid_ = &grid;
  warpsPerBlock_ = warpsPerBlock;
  warps_ = blocks * warpsPerBlock;
  views_.assign(warps_, View{});
  parts_.assign(warps_, {});
  for (uint32_t w = 0; w < warps_; ++w)
    views_[w].seen.raise(static_cast<Agent>(w), 1);
  unitEpochs_.assign(static_cast<size_t>(AsyncUnit::Mbarrier) * warps_, 0);
  tensorFences_.assign(warps_, TensorFences{});
  relaxes_ = false;
  commits_.clear();
  freeCommits_.clear();
  named_.assign(size_t(blocks) * kNamedBarriers, View{});
  ended_.assign(blocks, View{});
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
  learning(warp).seen.raise(unitOf(warp, unit), epoch);
}

bool Ordering::covers(const View &barrier) const {
  auto unit = [&](AsyncUnit which) { return static_cast<uint32_t>(which) * warps_; };
  auto covered = [&](uint32_t from, uint32_t to) {
    for (uint32_t n = from; n < to; ++n)
      if (unitEpochs_[n] > barrier.seen[static_cast<Agent>(n)])
        return false;
    return true;
  };
  if (!covered(unit(AsyncUnit::CpAsync), unit(AsyncUnit::BulkWrite)) ||
      !covered(unit(AsyncUnit::Tensor), unit(AsyncUnit::Mbarrier)))
    return false;
  return std::ranges::all_of(mbarriers_,
                             [&](const BarrierState &state) { return state.last <= barrier.seen[state.agent]; });
}

bool Ordering::somebodyAcquired(Agent cluster, Epoch release) const {
  auto knows = [&](const View &view) { return view.foreign.covers(cluster, release); };
  return std::ranges::any_of(views_, knows) || std::ranges::any_of(parts_, [&](const std::deque<PartView> &parts) {
           return std::ranges::any_of(parts, knows, &PartView::view);
         });
}

void Ordering::proxyFence(const Warp &warp) {
  View &view = learning(warp);
  view.fenced.join(view.seen);
  advance(numberOf(warp)); // later writes are not fenced
}

View &Ordering::knownByPart(const Warp &warp) {
  uint32_t w = numberOf(warp), lanes = warp.splits[warp.current].mask;
  std::deque<PartView> &parts = parts_[w];
  if (lanes == warp.live) { // all have met
    for (const PartView &part : parts)
      views_[w].join(part.view);
    parts.clear();
    return views_[w];
  }
  auto isIn = [&](uint32_t part) { return (part & warp.live & ~lanes) == 0; };
  // What these lanes knew together last, and what some of them have learnt since then.
  View *whole = &views_[w];
  uint32_t wholeLanes = kAllLanes;
  bool met = false;
  for (PartView &part : parts) {
    bool inside = isIn(part.lanes);
    met |= inside && part.lanes != lanes;
    if ((lanes & ~part.lanes) == 0 && (part.lanes & ~wholeLanes) == 0) {
      whole = &part.view;
      wholeLanes = part.lanes;
    }
  }
  if (!met)
    return *whole;
  View all = *whole;
  std::erase_if(parts, [&](const PartView &part) {
    bool inside = isIn(part.lanes);
    if (inside)
      all.join(part.view);
    return inside;
  });
  return parts.emplace_back(lanes, std::move(all)).view;
}

View &Ordering::ownView(const Warp &warp, const View &known) {
  std::deque<PartView> &parts = parts_[numberOf(warp)];
  uint32_t lanes = warp.splits[warp.current].mask;
  for (PartView &part : parts)
    if (part.lanes == lanes)
      return part.view;
  return parts.emplace_back(lanes, known).view;
}

void Ordering::passedByAll(const Warp &warp, const View &barrier) {
  uint32_t w = numberOf(warp);
  views_[w].join(barrier);
  for (PartView &part : parts_[w])
    part.view.join(barrier);
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

void Ordering::mbarrierArrive(const Warp &warp, uint32_t rank, uint32_t address, Strength strength) {
  arriveAt(warp, mbarrier(rank, address).pending, strength);
}

void Ordering::mbarrierPhase(uint32_t rank, uint32_t address, uint64_t phase) {
  BarrierState &state = mbarrier(rank, address);
  state.done.join(state.pending);
  state.done.seen.raise(state.agent, state.base + static_cast<Epoch>(phase));
  state.pending.clear();
}

void Ordering::mbarrierObserved(const Warp &warp, uint32_t rank, uint32_t address, Strength strength) {
  passed(warp, mbarrier(rank, address).done, strength);
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

void Ordering::arriveRelaxed(const Warp &warp, View &barrier) {
  uint32_t number = numberOf(warp);
  relaxes_ = true;
  barrier.joinMemory(known(warp));
  barrier.tensor.join(tensorFences_[number].fenced);
  barrier.tensorIssued.join(tensorFences_[number].fencedIssued);
}

void Ordering::passRelaxed(const Warp &warp, const View &barrier) {
  uint32_t number = numberOf(warp);
  relaxes_ = true;
  learning(warp).joinMemory(barrier);
  tensorFences_[number].pending.join(barrier.tensor);
  tensorFences_[number].pendingIssued.join(barrier.tensorIssued);
}

void Ordering::tensorFenceBefore(const Warp &warp) {
  uint32_t w = numberOf(warp);
  View &view = learning(warp);
  if (Epoch own = issued(warp, AsyncUnit::Tensor))
    view.tensorIssued.raise(tensorAgent(w, 0), own);
  tensorFences_[w].fenced = view.tensor;
  tensorFences_[w].fencedIssued = view.tensorIssued;
}

void Ordering::tensorFenceAfter(const Warp &warp) {
  uint32_t w = numberOf(warp);
  View &view = learning(warp);
  view.tensor.join(tensorFences_[w].pending);
  view.tensorIssued.join(tensorFences_[w].pendingIssued);
}

uint32_t Ordering::commit(const Warp &warp) {
  uint32_t w = numberOf(warp), ticket = static_cast<uint32_t>(commits_.size());
  if (freeCommits_.empty()) {
    commits_.emplace_back();
  } else {
    ticket = freeCommits_.back();
    freeCommits_.pop_back();
  }
  View &view = commits_[ticket];
  view = known(warp);
  advance(w);
  Epoch last = issued(warp, AsyncUnit::Tensor);
  if (last == 0)
    return ticket;
  // What fences have ordered before runs before, too.
  view.tensorIssued.raise(tensorAgent(w, 0), last);
  view.tensor.join(view.tensorIssued);
  for (uint32_t other = 0; other < warps_; ++other)
    if (Epoch done = view.tensorIssued[tensorAgent(other, 0)])
      view.seen.raise(static_cast<Agent>(static_cast<uint32_t>(AsyncUnit::Tensor) * warps_ + other), done);
  return ticket;
}

void Ordering::commitDone(uint32_t ticket, uint32_t rank, uint32_t address) {
  mbarrier(rank, address).pending.join(commits_[ticket]);
  freeCommits_.push_back(ticket);
}

size_t Ordering::memoryBytes() const {
  size_t bytes = unitEpochs_.size() * sizeof(Epoch);
  for (const std::vector<View> *views : {&views_, &commits_, &named_, &ended_})
    for (const View &view : *views)
      bytes += view.memoryBytes();
  for (const BarrierState &barrier : mbarriers_)
    bytes += sizeof barrier + barrier.pending.memoryBytes() + barrier.done.memoryBytes();
  for (const auto &[key, view] : flags_)
    bytes += sizeof key + view.memoryBytes();
  return bytes;
}

} // namespace lanescope::core::emulator
