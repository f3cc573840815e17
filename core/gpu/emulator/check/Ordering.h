// What is ordered before what in a cluster: what each warp knows to have happened, and what carries that to others.
//
//   bar.sync, mbarrier arrive -> wait, cluster barriers, atomics     carry a warp's clock to others
//   mbarrier phase                                                   tells that the copies which signal it have landed
//   cp.async.wait_group, cp.async.bulk.wait_group, wgmma.wait_group  tell that a warp's (warpgroup's) own ones are done
//   fence.proxy.async                                                links generic writes and reads to the async proxy
//   fence.acq_rel                                                    lets relaxed operations publish what it comes
//   after,
//                                                                    and acquire what they have observed before it
//   fence.mbarrier_init                                              lets them publish mbarriers that are initialised
//   tcgen05.commit -> mbarrier phase, tcgen05.wait                   tell that operations of the tensor core are done
//   tcgen05.fence::before_thread_sync, ::after_thread_sync           let relaxed arrivals and waits, too, order tcgen05
//                                                                    operations, and all that are still in flight
//
//   bar.warp.sync, and all that orders warps                         order the lanes of a warp (Lanes.h)
//
// What the lanes of a diverged part of a warp observe or fence, the other lanes know when the parts have met again.
//
// A release and an acquire order where each is in the scope of the other (PTX ISA, "Morally strong operations"): those
// of the scope `.cta` order nothing between blocks. A relaxed arrival or wait orders nothing without a fence. What they
// do not order for that is kept apart (View::narrow, weak), to say so.
//
// What is decided in the kernel's favour: lanes of a warp are ordered by execution, and what one lane has observed or
// fenced, those that are together with it have; a wgmma that one warp of a warpgroup has waited for is done for all
// four; relaxed atomics and volatile accesses order like acquire and release within a block; barriers carry on what a
// fence came after and what was observed, so that `__threadfence(); __syncthreads();` serves the thread that tells; a
// commit's arrival carries all that its warp knew when it committed.
//
// Agents (Clocks.h) are numbered: the warps of the cluster, then as many for each kind of unit, then the mbarriers.
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/check/Shadow.h"
#include "core/gpu/emulator/machine/Block.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

/// BulkGroup: stores' reads of shared memory; BulkWrite: their writes of global memory; Tensor: what tcgen05 reads of
/// shared memory.
enum class AsyncUnit : uint8_t { Warp, CpAsync, BulkGroup, BulkWrite, Wgmma, Tensor, Mbarrier };

/// How an arrival, a wait, or a strong access orders. Relaxed ones order with a fence alone, tcgen05 operations with
/// fences of their own (PTX ISA, "Specialized Inter-thread Synchronization for tcgen05 instructions").
struct Semantics {
  bool relaxed = false;
  Scope scope = Scope::System;
  bool flag = false;            // an access of memory, which orders within a block even where it is relaxed
  const Instr *instr = nullptr; // to be named where it orders too little
};

/// The accesses released at one place: to warps of the releaser's block, and to the cluster.
struct Released {
  std::vector<View> inBlock; // by the releaser's block
  View inCluster;            // by those whose scope it is, or is within

  View &ofBlock(uint32_t rank) {
    if (inBlock.size() <= rank)
      inBlock.resize(rank + 1u);
    return inBlock[rank];
  }
  void join(const Released &other);
  void clear();
  size_t memoryBytes() const;
};

class Ordering {
public:
  /// What the checker knows of an mbarrier.
  struct BarrierState {
    uint32_t rank = 0, address = 0;
    Agent agent = 0;
    Epoch base = 0, last = 0; // epochs are base + phase + 1
    uint32_t issuer = 0;      // number of the warp that issued the last copy which signals it
    Use init;
    Released pending, done;
  };
  /// An operation that orders less than its place suggests, and what was lost there.
  struct WeakOperation {
    bool acquires = false, relaxed = false;
    Scope needed = Scope::Block; // the scope that it, or its fence, should have
    Clock lost;
  };

  void begin(const Grid &grid, uint32_t blocks, uint32_t warpsPerBlock);

  // --- who ----------------------------------------------------------------------------------------------------------
  const Grid &grid() const { return *grid_; }
  /// Whether the run is of that strict form.
  bool isStrict(StrictForm form) const { return grid_->form == form; }
  uint32_t warps() const { return warps_; }
  uint32_t warpsPerBlock() const { return warpsPerBlock_; }
  bool oneBlock() const { return warps_ == warpsPerBlock_; }
  /// The warp's number in the cluster, which is its agent too.
  uint32_t numberOf(const Warp &warp) const { return warp.block->clusterRank * warpsPerBlock_ + warp.id; }
  Agent unitOf(const Warp &warp, AsyncUnit unit) const;
  AsyncUnit kindOf(Agent agent) const;
  /// The warp (its number in the cluster) whose unit it is; the first of a warpgroup.
  uint32_t ownerOf(Agent agent) const;
  /// What all lanes of warp `number` of the cluster know.
  const View &view(uint32_t number) const { return views_[number]; }
  /// What the warp's lanes that run now know.
  const View &viewOf(const Warp &warp) { return known(warp); }
  /// The same, for what they learn now. Views of a warp stay where they are until its lanes part or meet.
  View &learning(const Warp &warp) {
    View &view = known(warp);
    return warp.splits[warp.current].mask == warp.live ? view : ownView(warp, view);
  }
  /// The use of a warp or a unit by the instruction.
  Use useOf(const Instr &i, Agent agent, Epoch epoch) const {
    Use use;
    use.agent = agent;
    use.epoch = epoch;
    use.pc = pcOf(i);
    return use;
  }
  Use useOf(const Warp &warp, const Instr &i) const {
    auto w = static_cast<Agent>(numberOf(warp));
    return useOf(i, w, views_[w].seen[w]);
  }
  uint32_t pcOf(const Instr &i) const { return grid_->pcOf(i); }
  /// Whether the instruction is an `atom` or a `red`: all lanes count that update one word.
  bool isReduction(uint32_t pc) const {
    std::string_view opcode = grid_->opcodeOf(grid_->program->code[pc]);
    return opcode.starts_with("atom") || opcode.starts_with("red");
  }

  // --- asynchronous units -------------------------------------------------------------------------------------------
  /// Numbers an operation of the warp's unit.
  Epoch issue(const Warp &warp, AsyncUnit unit);
  Epoch issued(const Warp &warp, AsyncUnit unit) const {
    return unitEpochs_[static_cast<size_t>(unit) * warps_ + numberOf(warp)];
  }
  /// The warp has waited for the unit's operations up to `epoch`.
  void waited(const Warp &warp, AsyncUnit unit, Epoch epoch);
  /// Whether some lanes of a warp know what `covers` asks for.
  template <class Covers> bool somebodyKnows(Covers covers) const {
    return std::ranges::any_of(views_, covers) || std::ranges::any_of(parts_, [&](const Parts &parts) {
             return std::ranges::any_of(parts.views, covers, &PartView::view);
           });
  }
  /// Whether `barrier` carries all copies so far.
  bool covers(const View &barrier) const;

  // --- synchronisation ----------------------------------------------------------------------------------------------
  void proxyFence(const Warp &warp, uint32_t lanes);
  /// A fence of memory: it acquires what was observed, and lets relaxed operations publish what came before, or one of
  /// the two.
  void fence(const Warp &warp, Scope scope, bool acquires, bool releases);
  /// `fence.mbarrier_init`.
  void fenceInits(const Warp &warp);
  /// Arrives at a barrier of the block. `lanes` of the warp release what is ordered before them; what other lanes did
  /// after they met last is not. (Barriers of all threads do not wait for lanes that have ended: those count as
  /// arrived.)
  void arriveAt(const Warp &warp, uint32_t lanes, View &barrier) {
    tellOf(warp, lanes, barrier, [&] { barrier.join(known(warp)); });
    advance(numberOf(warp));
  }
  void passed(const Warp &warp, const View &barrier) {
    learn(warp, learning(warp), barrier);
    learnOwn(warp, barrier, warp.splits[warp.current].mask);
  }
  /// `bar.warp.sync` by all of `lanes`.
  void synchronise(const Warp &warp, uint32_t lanes) {
    uint32_t w = numberOf(warp);
    lanes_[w].synchronise(lanes, closedEpoch(w), warp.live);
  }
  /// Lanes of a diverged warp are at one instruction again.
  void lanesMet(const Warp &warp, uint32_t lanes) {
    uint32_t w = numberOf(warp);
    lanes_[w].meet(lanes, closedEpoch(w));
  }
  /// The order between the lanes of warp `number`.
  const WarpLanes &lanesOf(uint32_t number) const { return lanes_[number]; }
  /// `lanes` of a warp access memory.
  void touch(uint32_t number, uint32_t lanes) {
    lanes_[number].touch(lanes, views_[number].seen[static_cast<Agent>(number)]);
  }
  /// All lanes of the warp access memory. Gives the epoch of the access.
  Epoch touchAll(uint32_t number) {
    Epoch epoch = views_[number].seen[static_cast<Agent>(number)];
    lanes_[number].touch(kAllLanes, epoch);
    return epoch;
  }
  /// Later accesses of the warp are not released: the caller advances the warp once for an instruction.
  void release(const Warp &warp, uint32_t lanes, Released &to, const Semantics &how) {
    if ((lanes_[numberOf(warp)].touched & ~lanes) == 0) [[likely]]
      return release(warp, to, how);
    tellOf(warp, lanes, to.ofBlock(warp.block->clusterRank), [&] {
      oneBlock() ? release(warp, to, how) : tellOf(warp, lanes, to.inCluster, [&] { release(warp, to, how); });
    });
  }
  void acquire(const Warp &warp, const Released &from, const Semantics &how);
  /// The entries about lanes that differ (Before::apart) which a release by `lanes` publishes, where the warp publishes
  /// `what`.
  std::vector<KnownLanes> toldBy(const Warp &warp, uint32_t lanes, const Before &what);
  /// By pc: relaxed and narrow operations so far.
  const std::map<uint32_t, WeakOperation> &weakOperations() const { return weakOperations_; }
  /// A barrier has let all of the warp's lanes go that wait there; which of them run is not looked at.
  void passedByAll(const Warp &warp, const View &barrier);
  /// What the warp does from now on is later than what it has told others.
  void advance(uint32_t number) {
    auto w = static_cast<Agent>(number);
    views_[w].seen.raise(w, views_[w].seen[w] + 1);
    for (PartView &part : parts_[w].views)
      part.view.seen.raise(w, views_[w].seen[w]);
  }
  void clusterArrive(const Warp &warp, uint32_t lanes, const Semantics &how);
  /// A phase of the cluster barrier is over; later waiters still learn of it.
  void clusterDone() {
    clusterDone_.join(cluster_);
    cluster_.clear();
  }
  void clusterPassed(const Warp &warp) { passed(warp, clusterDone_); }
  View &namedBarrier(uint32_t rank, uint32_t number) { return named_[rank * kNamedBarriers + number]; }
  /// A warp that has ended: barriers of all threads of the block no longer wait for it, and are passed behind its end.
  void ended(const Warp &warp) { ended_[warp.block->clusterRank].join(known(warp)); }
  const View &endedOf(uint32_t rank) const { return ended_[rank]; }

  // `rank` is the block whose shared memory the mbarrier is in.
  void mbarrierInit(const Warp &warp, const Instr &i, uint32_t rank, uint32_t address);
  void mbarrierArrive(const Warp &warp, uint32_t lanes, uint32_t rank, uint32_t address, const Semantics &how = {}) {
    release(warp, lanes, mbarrier(rank, address).pending, how);
    advance(numberOf(warp));
  }
  void mbarrierPhase(uint32_t rank, uint32_t address, uint64_t phase);
  void mbarrierObserved(const Warp &warp, uint32_t rank, uint32_t address, const Semantics &how = {}) {
    acquire(warp, mbarrier(rank, address).done, how);
  }
  /// The agent and epoch of a copy of `warp` that will signal the barrier's phase `phase`.
  std::pair<Agent, Epoch> mbarrierCopy(const Warp &warp, uint32_t rank, uint32_t address, uint64_t phase);
  /// Copies of a warp by cp.async up to `epoch` have landed, which `cp.async.mbarrier.arrive` tells the barrier.
  void mbarrierAfterCopies(const Warp &warp, uint32_t rank, uint32_t address, Epoch epoch);
  BarrierState &mbarrier(uint32_t rank, uint32_t address);
  /// Counts the cluster's mbarriers from 0.
  size_t mbarrierNumber(uint32_t rank, uint32_t address) {
    return mbarrier(rank, address).agent - static_cast<uint32_t>(AsyncUnit::Mbarrier) * warps_;
  }
  /// Whether the owner comes after that, whatever its accesses are ordered after: relaxed and narrow operations order
  /// no memory, but a wait for them is a wait.
  static bool comesAfter(const View &owner, Agent agent, Epoch epoch) {
    return owner.seen.covers(agent, epoch) || owner.weak.covers(agent, epoch);
  }
  static bool comesAfter(const Released &owner, Agent agent, Epoch epoch) {
    return comesAfter(owner.inCluster, agent, epoch) ||
           std::ranges::any_of(owner.inBlock, [&](const View &view) { return comesAfter(view, agent, epoch); });
  }
  /// Whether what the warp does comes after the end of as many phases of the mbarrier.
  bool knowsPhases(const Warp &warp, uint32_t rank, uint32_t address, uint64_t phases) {
    const BarrierState &state = mbarrier(rank, address);
    return comesAfter(viewOf(warp), state.agent, state.base + static_cast<Epoch>(phases));
  }
  const BarrierState &mbarrierOf(Agent agent) const {
    return mbarriers_[agent - static_cast<uint32_t>(AsyncUnit::Mbarrier) * warps_];
  }

  // --- tcgen05 ------------------------------------------------------------------------------------------------------
  /// What relaxed synchronisation carries of a warp's tcgen05 operations, and what it has brought.
  struct TensorFences {
    Clock fenced, fencedIssued;   // at the last fence::before_thread_sync
    Clock pending, pendingIssued; // until the next fence::after_thread_sync
  };
  /// The agent of a warp's operations of a class in View::tensor (TensorRaces.h numbers the classes).
  static Agent tensorAgent(uint32_t number, uint32_t kind) { return static_cast<Agent>(number * kTensorKinds + kind); }
  static constexpr uint32_t kTensorKinds = 3;
  const TensorFences &tensorFences(uint32_t number) const { return tensorFences_[number]; }
  /// Whether anybody has arrived or waited without an order of tcgen05 operations of its own.
  bool relaxes() const { return relaxes_; }
  void tensorFenceBefore(const Warp &warp);
  void tensorFenceAfter(const Warp &warp);
  /// Notes what the warp and its tensor core's operations up to now mean for whoever waits for a commit; to be given to
  /// one commitDone().
  uint32_t commit(const Warp &warp);
  void commitDone(uint32_t ticket, uint32_t rank, uint32_t address);

  // --- atomics and strong accesses ----------------------------------------------------------------------------------
  /// Who writes at an address strongly tells who reads there strongly. When there are many such addresses all are
  /// `kVagueFlag`: they order more than they should, never less.
  static constexpr uint64_t kVagueFlag = 0;
  bool flagsAreMany() const { return flags_.size() >= kMaxFlags; }
  Released &flag(uint64_t key) { return flags_[key]; }
  /// Null: nothing has been released there.
  const Released *findFlag(uint64_t key) const {
    auto found = flags_.find(key);
    return found == flags_.end() ? nullptr : &found->second;
  }
  /// What a copy of it takes.
  size_t memoryBytes() const;
  Released &flagOrVague(uint64_t key) { return flags_[!flagsAreMany() || flags_.contains(key) ? key : kVagueFlag]; }

private:
  static constexpr size_t kMaxFlags = 4096;
  /// What some lanes of a diverged warp have learnt, and others have not.
  struct PartView {
    uint32_t lanes = 0;
    View view;
  };
  /// Those of a warp. `known` is what the lanes `lanes` of `live` know: the number of a part, or kWhole.
  struct Parts {
    static constexpr size_t kWhole = SIZE_MAX;
    std::deque<PartView> views;
    size_t known = kWhole;
    uint32_t lanes = 0, live = 0;
  };
  View &known(const Warp &warp) {
    uint32_t w = numberOf(warp);
    Parts &parts = parts_[w];
    if (parts.views.empty()) [[likely]]
      return views_[w];
    if (parts.lanes != warp.splits[warp.current].mask || parts.live != warp.live)
      findKnown(warp);
    return parts.known == Parts::kWhole ? views_[w] : parts.views[parts.known].view;
  }
  /// Finds it again: other lanes run than before. What parts know that have met becomes one.
  void findKnown(const Warp &warp);
  View &ownView(const Warp &warp, const View &known);
  /// The warp acquires `from`. Operations of the tensor core in flight are ordered after
  /// `tcgen05.fence::after_thread_sync` alone.
  void learn(const Warp &warp, View &view, const View &from);
  void learnAll(const Warp &warp, View &view, const View &from);
  void release(const Warp &warp, Released &to, const Semantics &how);
  /// `tell` gives `to` what the warp knows; if it is told by `lanes` alone, of other lanes no more than they know.
  template <class Tell> void tellOf(const Warp &warp, uint32_t lanes, View &to, Tell tell) {
    uint32_t w = numberOf(warp);
    if ((lanes_[w].touched & ~lanes) == 0) [[likely]]
      return tell();
    LaneList before = to.lanesOf(static_cast<Agent>(w));
    tell();
    setApart(warp, lanes, to, before);
  }
  void setApart(const Warp &warp, uint32_t lanes, Before &to, LaneList &told);
  /// The warp's lanes `knowers` learn of what other lanes of it have told.
  void learnOwn(const Warp &warp, const View &barrier, uint32_t knowers) {
    uint32_t w = numberOf(warp);
    if (barrier.seen[static_cast<Agent>(w)] > lanes_[w].all)
      learnMore(warp, barrier, knowers);
  }
  void learnMore(const Warp &warp, const View &barrier, uint32_t knowers);
  /// The epoch of the warp's last access: later ones have another.
  Epoch closedEpoch(uint32_t number) {
    Epoch now = views_[number].seen[static_cast<Agent>(number)];
    if (lanes_[number].last < now)
      return now - 1;
    advance(number);
    return now;
  }
  /// Whether it orders within a block.
  bool ordersInBlock(const Semantics &how) const {
    return !how.relaxed || (how.flag && !isStrict(StrictForm::RelaxedInBlock));
  }
  void releaseRelaxed(const Warp &warp, const View &own, View &to, Scope scope);
  void observe(const Warp &warp, View &view, const View &from, Scope scope);
  void lose(const Semantics &how, bool acquires, Scope needed, const Clock &lost);

  const Grid *grid_ = nullptr;
  uint32_t warps_ = 0, warpsPerBlock_ = 0;
  std::vector<View> views_;      // per warp
  std::vector<Parts> parts_;     // per warp; of two that share lanes one has all of the other's
  std::vector<WarpLanes> lanes_; // per warp
  std::vector<Epoch> unitEpochs_;
  std::vector<TensorFences> tensorFences_;
  bool relaxes_ = false;
  std::vector<View> commits_;
  std::vector<uint32_t> freeCommits_;
  std::vector<View> named_, ended_;
  View cluster_, clusterDone_;
  std::vector<BarrierState> mbarriers_;
  size_t lastMbarrier_ = 0;
  std::unordered_map<uint64_t, Released> flags_;
  std::map<uint32_t, WeakOperation> weakOperations_; // by pc
};

} // namespace lanescope::core::emulator
