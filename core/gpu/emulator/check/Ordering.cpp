#include "core/gpu/emulator/check/Ordering.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

void Ordering::begin(const Grid &grid, uint32_t blocks, uint32_t warpsPerBlock) {
  grid_ = &grid;
  warpsPerBlock_ = warpsPerBlock;
  warps_ = blocks * warpsPerBlock;
  auto reset = [](std::vector<View> &views, size_t count) {
    views.resize(count);
    for (View &view : views)
      view.reset();
  };
  reset(views_, warps_);
  parts_.assign(warps_, {});
  lanes_.assign(warps_, {});
  for (uint32_t w = 0; w < warps_; ++w)
    views_[w].seen.raise(static_cast<Agent>(w), lanes_[w].now);
  unitEpochs_.assign(static_cast<size_t>(AsyncUnit::Mbarrier) * warps_, 0);
  copyWaits_.assign(warps_, {});
  tensorFences_.assign(warps_, TensorFences{});
  relaxes_ = equalWrites_ = discardable_ = false;
  commits_.clear();
  freeCommits_.clear();
  named_.resize(size_t(blocks) * kNamedBarriers);
  for (Named &barrier : named_) {
    barrier.view.reset();
    barrier.arrivals.clear();
    barrier.joined = false;
  }
  reset(common_, blocks);
  inCommon_.assign(warps_, false);
  reset(ended_, blocks);
  cluster_.clear();
  clusterDone_.clear();
  mbarriers_.clear();
  lastMbarrier_ = 0;
  flags_.clear();
  weakOperations_.clear();
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
  if (kindOf(agent) == AsyncUnit::Wgmma) // one agent per warpgroup
    return owner / warpsPerBlock_ * warpsPerBlock_ + owner % warpsPerBlock_ * 4;
  return owner;
}

Epoch Ordering::issue(const Warp &warp, AsyncUnit unit) {
  return ++unitEpochs_[static_cast<size_t>(unit) * warps_ + numberOf(warp)];
}

void Ordering::waited(const Warp &warp, AsyncUnit unit, Epoch epoch) {
  learning(warp).seen.raise(unitOf(warp, unit), epoch);
}

void Ordering::copiesWaited(const Warp &warp, uint32_t lanes, Epoch epoch) {
  constexpr size_t kMost = 32; // with more waits, the lanes count as ordered after the oldest one
  uint32_t w = numberOf(warp);
  Agent unit = unitOf(warp, AsyncUnit::CpAsync);
  View &view = learning(warp);
  std::vector<CopyWait> &waits = copyWaits_[w];
  std::erase_if(waits, [&](const CopyWait &wait) { return wait.at <= lanes_[w].all; });
  if (Epoch before = view.seen[unit]; epoch > before && !std::has_single_bit(warp.live)) {
    if (waits.size() == kMost)
      waits.erase(waits.begin());
    waits.push_back({lanes, before, epoch, view.seen[static_cast<Agent>(w)]});
    advance(w); // a later bar.warp.sync orders the lanes after the wait
  }
  if (!view.apart.empty()) { // arrivals of single lanes at an mbarrier
    LaneList known = view.lanesOf(unit);
    known.push_back({unit, (warp.live & ~lanes) == 0 ? kAllLanes : lanes, epoch, 0});
    view.setLanes(unit, known, std::max(epoch, view.seen[unit]));
  }
  view.seen.raise(unit, epoch);
}

const Ordering::CopyWait *Ordering::copyWait(uint32_t number, uint32_t lanes, Epoch epoch) const {
  for (const CopyWait &wait : copyWaits_[number])
    if ((wait.lanes & lanes) && wait.from < epoch && epoch <= wait.to)
      return wait.at > lanes_[number].all ? &wait : nullptr;
  return nullptr;
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

void Ordering::proxyFence(const Warp &warp, uint32_t lanes) {
  View &view = learning(warp);
  view.fenced.join(view.seen);
  uint32_t w = numberOf(warp);
  if ((warp.live & ~lanes) == 0)
    lanes_[w].fenced = view.seen[static_cast<Agent>(w)];
  advance(numberOf(warp)); // the fence does not cover later writes
}

void Ordering::fence(const Warp &warp, const MemoryFence &fence) {
  View &view = learning(warp);
  auto last = static_cast<size_t>(fence.scope);
  if (fence.acquires && !view.observed.empty())
    for (size_t n = 0; n <= last; ++n)
      view.joinKnown(view.observed[n]);
  if (!fence.releases)
    return;
  // The scopes that differ in this grid.
  bool uses[kScopes] = {true, !oneBlock(), grid_->program->communicates, grid_->devices > 1};
  for (size_t n = 0; n <= last; ++n)
    if (uses[n])
      View::at(view.fences, static_cast<Scope>(n)).joinKnown(view);
  advance(numberOf(warp)); // later accesses come after the fence
}

void Ordering::fenceInits(const Warp &warp) {
  uint32_t w = numberOf(warp);
  View &view = learning(warp);
  view.inits.raise(static_cast<Agent>(w), view.seen[static_cast<Agent>(w)]);
  advance(w);
}

void Ordering::release(const Warp &warp, Released &to, const Semantics &how) {
  const View &own = known(warp);
  View &block = to.ofBlock(warp.block->clusterRank);
  if (how.flag) {
    const auto w = static_cast<Agent>(numberOf(warp));
    if (const Before *published = how.relaxed ? own.behindFence(Scope::Block) : &own)
      to.toLanes.raise(w, published->seen[w]);
  }
  if (ordersInBlock(how))
    block.join(own);
  else
    releaseRelaxed(warp, own, block, Scope::Block);
  if (!oneBlock()) {
    if (how.scope == Scope::Block) {
      to.inCluster.joinWeak(own);
      to.inCluster.narrow.join(own.seen);
      to.inCluster.weak.join(own.seen);
      to.inCluster.joinTensor(own);
    } else if (how.relaxed) {
      releaseRelaxed(warp, own, to.inCluster, Scope::Cluster);
    } else {
      to.inCluster.join(own);
    }
  }
  if (how.relaxed || (how.scope == Scope::Block && !oneBlock()))
    lose(how, false, oneBlock() ? Scope::Block : Scope::Cluster, own.seen);
}

void Ordering::learn(const Warp &warp, View &view, const View &from) {
  if (isStrict(StrictForm::CarriedFence)) [[unlikely]] {
    View carried = from; // excludes what came before other threads' fences, and what other threads observed
    carried.fences.clear();
    carried.observed.clear();
    return learnAll(warp, view, carried);
  }
  learnAll(warp, view, from);
}

void Ordering::learnAll(const Warp &warp, View &view, const View &from) {
  if (from.tensorIssued.empty()) [[likely]]
    return view.join(from);
  Clock issued = view.tensorIssued;
  view.join(from);
  view.tensorIssued = std::move(issued);
  tensorFences_[numberOf(warp)].pendingIssued.join(from.tensorIssued);
}

void Ordering::acquire(const Warp &warp, const Released &from, const Semantics &how) {
  View &view = learning(warp);
  uint32_t rank = warp.block->clusterRank;
  if (rank < from.inBlock.size()) {
    if (ordersInBlock(how))
      learn(warp, view, from.inBlock[rank]);
    else
      observe(warp, view, from.inBlock[rank], Scope::Block);
    if (how.relaxed)
      lose(how, true, Scope::Block, from.inBlock[rank].seen);
  }
  uint32_t knowers = warp.splits[warp.current].mask;
  Epoch limit = how.flag ? from.toLanes[static_cast<Agent>(numberOf(warp))] : kNoLimit;
  if (rank < from.inBlock.size())
    learnOwn(warp, from.inBlock[rank], knowers, limit);
  if (oneBlock())
    return;
  learnOwn(warp, from.inCluster, knowers, limit);
  const View &cluster = from.inCluster;
  if (how.scope == Scope::Block) {
    view.joinWeak(cluster);
    view.narrow.join(cluster.seen);
    view.weak.join(cluster.seen);
    view.joinTensor(cluster);
  } else if (how.relaxed) {
    observe(warp, view, cluster, Scope::Cluster);
  } else {
    learn(warp, view, cluster);
  }
  if (how.relaxed || how.scope == Scope::Block)
    lose(how, true, Scope::Cluster, cluster.seen);
}

void Ordering::followReleases(const Warp &warp, uint32_t lanes, const Released &to) {
  if (std::has_single_bit(lanes))
    return;
  uint32_t w = numberOf(warp), last = std::bit_floor(lanes);
  lanes_[w].learn(last, lanes, to.toLanes[static_cast<Agent>(w)], warp.live);
}

/// Without a fence, a relaxed release publishes only mbarriers that `fence.mbarrier_init` has published.
void Ordering::releaseRelaxed(const Warp &warp, const View &own, View &to, Scope scope) {
  uint32_t number = numberOf(warp);
  relaxes_ = true;
  if (const Before *published = own.behindFence(scope)) {
    to.joinKnown(*published);
    for (size_t n = 0; n < kScopes; ++n)
      View::at(to.fences, static_cast<Scope>(n)).joinKnown(n < static_cast<size_t>(scope) ? *published : own.fences[n]);
  }
  to.joinWeak(own);
  to.weak.join(own.seen);
  to.tensor.join(tensorFences_[number].fenced);
  to.tensorIssued.join(tensorFences_[number].fencedIssued);
}

void Ordering::observe(const Warp &warp, View &view, const View &from, Scope scope) {
  uint32_t number = numberOf(warp);
  relaxes_ = true;
  View::at(view.observed, scope).joinKnown(from);
  view.joinWeak(from);
  view.weak.join(from.seen);
  tensorFences_[number].pending.join(from.tensor);
  tensorFences_[number].pendingIssued.join(from.tensorIssued);
}

void Ordering::lose(const Semantics &how, bool acquires, Scope needed, const Clock &lost) {
  if (!how.instr || (how.flag && ordersInBlock(how)))
    return;
  WeakOperation &weak = weakOperations_[pcOf(*how.instr)];
  weak.acquires = acquires;
  weak.relaxed = how.relaxed;
  weak.needed = std::max(weak.needed, needed);
  weak.lost.join(lost);
}

void Ordering::clusterArrive(const Warp &warp, uint32_t lanes, const Semantics &how) {
  if (!how.relaxed) {
    arriveAt(warp, lanes, cluster_);
    return;
  }
  const View &own = known(warp);
  Scope scope = oneBlock() ? Scope::Block : Scope::Cluster;
  releaseRelaxed(warp, own, cluster_, scope);
  lose(how, false, scope, own.seen);
  advance(numberOf(warp));
}

void Released::join(const Released &other) {
  for (uint32_t rank = 0; rank < other.inBlock.size(); ++rank)
    ofBlock(rank).join(other.inBlock[rank]);
  inCluster.join(other.inCluster);
  toLanes.join(other.toLanes);
}

void Released::clear() {
  for (View &view : inBlock)
    view.clear();
  inCluster.clear();
  toLanes.clear();
}

size_t Released::memoryBytes() const {
  size_t bytes = inCluster.memoryBytes() + toLanes.memoryBytes();
  for (const View &view : inBlock)
    bytes += view.memoryBytes();
  return bytes;
}

void Ordering::findKnown(const Warp &warp) {
  uint32_t w = numberOf(warp), lanes = warp.splits[warp.current].mask;
  Parts &parts = parts_[w];
  parts.lanes = lanes;
  parts.live = warp.live;
  parts.known = Parts::kWhole;
  if (lanes == warp.live) { // all lanes have met
    inCommon_[w] = false;
    for (const PartView &part : parts.views)
      views_[w].join(part.view);
    parts.views.clear();
    return;
  }
  auto isIn = [&](uint32_t part) { return (part & warp.live & ~lanes) == 0; };
  // Finds what these lanes knew when they last ran together, and whether some of them have learnt more since then.
  uint32_t wholeLanes = kAllLanes;
  bool met = false;
  for (size_t n = 0; n < parts.views.size(); ++n) {
    uint32_t part = parts.views[n].lanes;
    met |= isIn(part) && part != lanes;
    if ((lanes & ~part) == 0 && (part & ~wholeLanes) == 0) {
      parts.known = n;
      wholeLanes = part;
    }
  }
  if (!met)
    return;
  View all = parts.known == Parts::kWhole ? views_[w] : parts.views[parts.known].view;
  std::erase_if(parts.views, [&](const PartView &part) {
    bool inside = isIn(part.lanes);
    if (inside)
      all.join(part.view);
    return inside;
  });
  parts.views.emplace_back(lanes, std::move(all));
  parts.known = parts.views.size() - 1;
}

View &Ordering::ownView(const Warp &warp, const View &known) {
  Parts &parts = parts_[numberOf(warp)];
  uint32_t lanes = warp.splits[warp.current].mask;
  if (!parts.views.empty() && parts.known != Parts::kWhole && parts.views[parts.known].lanes == lanes)
    return parts.views[parts.known].view;
  parts.views.emplace_back(lanes, known);
  parts.lanes = lanes;
  parts.live = warp.live;
  parts.known = parts.views.size() - 1;
  return parts.views.back().view;
}

void Ordering::joinArrivals(uint32_t rank, Named &barrier) {
  joined_ = common_[rank];
  for (const auto &[warp, epoch] : barrier.arrivals)
    joined_.seen.raise(warp, epoch);
  barrier.view.join(joined_);
  barrier.joined = true;
  barrier.arrivals.clear();
}

void Ordering::meetInCommon(const Block &block, uint32_t number) {
  Named &barrier = named_[block.clusterRank * kNamedBarriers + number];
  View &common = common_[block.clusterRank];
  for (const auto &[w, epoch] : barrier.arrivals)
    common.seen.raise(w, epoch);
  for (const auto &[w, epoch] : barrier.arrivals) {
    views_[w].seen = common.seen;
    views_[w].seen.raise(w, lanes_[w].now);
    lanes_[w].learnAll(epoch, block.warps[w - block.clusterRank * warpsPerBlock_].live);
  }
  barrier.arrivals.clear();
}

void Ordering::passedByBlock(const Block &block, uint32_t number) {
  const View &view = named_[block.clusterRank * kNamedBarriers + number].view;
  // Other lanes, other threads' fences and operations of the tensor core need a closer look at each warp.
  if (!view.apart.empty() || !view.tensorIssued.empty() || isStrict(StrictForm::CarriedFence) ||
      !ended_[block.clusterRank].seen.empty())
    return;
  for (const Warp &warp : block.warps)
    if (warp.splits.size() > 1 || !parts_[numberOf(warp)].views.empty())
      return;
  common_[block.clusterRank] = view;
  for (const Warp &warp : block.warps)
    inCommon_[numberOf(warp)] = true;
}

void Ordering::passedByAll(const Warp &warp, const View &barrier) {
  uint32_t w = numberOf(warp);
  inCommon_[w] = false;
  learn(warp, views_[w], barrier);
  for (PartView &part : parts_[w].views)
    learn(warp, part.view, barrier);
  learnOwn(warp, barrier, kAllLanes);
}

std::vector<KnownLanes> Ordering::toldBy(const Warp &warp, uint32_t lanes, const Before &what) {
  uint32_t w = numberOf(warp);
  auto agent = static_cast<Agent>(w);
  if ((lanes_[w].touched & ~lanes) == 0 || lanes_[w].all >= what.seen[agent])
    return what.apart;
  Before told;
  told.apart = what.apart;
  told.seen.raise(agent, what.seen[agent]);
  LaneList before;
  setApart(warp, lanes, told, before);
  return told.apart;
}

void Ordering::setApart(const Warp &warp, uint32_t lanes, Before &to, LaneList &told) {
  uint32_t w = numberOf(warp), pc = warp.splits[warp.current].pc;
  auto agent = static_cast<Agent>(w);
  told.push_back({agent, kAllLanes, lanes_[w].all, pc});
  told.push_back({agent, lanes, to.seen[agent], pc});
  for (const WarpLanes::Known &known : lanes_[w].known)
    if (known.knowers & lanes)
      told.push_back({agent, known.lanes, known.epoch, pc});
  to.setLanes(agent, told, to.seen[agent]);
}

void Ordering::learnMore(const Warp &warp, const View &barrier, uint32_t knowers, Epoch limit) {
  uint32_t w = numberOf(warp);
  if (barrier.apart.empty()) { // all lanes have released the same
    lanes_[w].learn(knowers, kAllLanes, std::min(barrier.seen[static_cast<Agent>(w)], limit), warp.live);
    return;
  }
  for (const KnownLanes &told : barrier.lanesOf(static_cast<Agent>(w)))
    lanes_[w].learn(knowers, told.lanes, std::min(told.epoch, limit), warp.live);
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
  state.base = state.last; // so that the epochs of an earlier mbarrier at this address stay smaller
  state.pending.clear();
  state.done.clear();
  state.init = useOf(warp, i);
}

void Ordering::mbarrierPhase(uint32_t rank, uint32_t address, uint64_t phase) {
  BarrierState &state = mbarrier(rank, address);
  state.done.join(state.pending);
  // The warps that wait for the mbarrier are in its own block.
  state.done.ofBlock(rank).seen.raise(state.agent, state.base + static_cast<Epoch>(phase));
  state.pending.clear();
}

std::pair<Agent, Epoch> Ordering::mbarrierCopy(const Warp &warp, uint32_t rank, uint32_t address, uint64_t phase) {
  BarrierState &state = mbarrier(rank, address);
  state.issuer = numberOf(warp);
  Epoch epoch = state.base + static_cast<Epoch>(phase) + 1;
  state.last = std::max(state.last, epoch);
  return {state.agent, epoch};
}

void Ordering::mbarrierAfterCopies(const Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address,
                                   Epoch epoch) {
  View &pending = mbarrier(rank, address).pending.ofBlock(rank);
  Agent unit = unitOf(warp, AsyncUnit::CpAsync);
  // The lanes of a warp mostly arrive together: their arrivals are one entry.
  LaneList known = pending.lanesOf(unit);
  uint32_t lanes = 1u << lane;
  for (const KnownLanes &one : known)
    if (one.epoch == epoch)
      lanes |= one.lanes;
  known.push_back({unit, lanes, epoch, pcOf(i)});
  pending.setLanes(unit, known, std::max(epoch, pending.seen[unit]));
  pending.seen.raise(unit, epoch);
  arriveAt(warp, kAllLanes, pending);
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
  // Operations that fences order before the commit also complete before the commit's arrival.
  view.tensorIssued.raise(tensorAgent(w, 0), last);
  view.tensor.join(view.tensorIssued);
  for (uint32_t other = 0; other < warps_; ++other)
    if (Epoch done = view.tensorIssued[tensorAgent(other, 0)])
      view.seen.raise(static_cast<Agent>(static_cast<uint32_t>(AsyncUnit::Tensor) * warps_ + other), done);
  return ticket;
}

void Ordering::commitDone(uint32_t ticket, uint32_t rank, uint32_t address) {
  mbarrier(rank, address).pending.ofBlock(rank).join(commits_[ticket]);
  freeCommits_.push_back(ticket);
}

size_t Ordering::memoryBytes() const {
  size_t bytes = unitEpochs_.size() * sizeof(Epoch);
  for (const std::vector<CopyWait> &waits : copyWaits_)
    bytes += sizeof(std::vector<CopyWait>) + waits.size() * sizeof(CopyWait);
  for (const std::vector<View> *views : {&views_, &commits_, &ended_, &common_})
    for (const View &view : *views)
      bytes += view.memoryBytes();
  for (const Named &barrier : named_)
    bytes += barrier.view.memoryBytes();
  for (const BarrierState &barrier : mbarriers_)
    bytes += sizeof barrier + barrier.pending.memoryBytes() + barrier.done.memoryBytes();
  for (const auto &[key, view] : flags_)
    bytes += sizeof key + view.memoryBytes();
  return bytes;
}

} // namespace lanescope::core::emulator
