// The happens-before order in a cluster. Ordering records what each warp knows to have happened, and passes that
// knowledge on to other warps.
//
// # Tutorial
//
// tests/unit/emulator/check/OrderingTest.cpp checks each step. It has one block of eight warps.
//
// ## 1. A race is an access that the reader's clock does not cover
//
// Each warp counts its steps, its *epochs*, from 1 on. Its clock (`View::seen`) has a number for each agent: the last
// epoch of that agent that happened before the warp's next instruction. At the beginning, a warp knows only itself:
//
//                          clock of warp 0     clock of warp 1
//   begin                     1 0                 0 1
//   warp 0: st.shared [a]     1 0                 0 1         // the store is the access (agent 0, epoch 1)
//
// If warp 1 loads `a` now, `view(1).seen.covers(0, 1)` is false, because warp 1's number for agent 0 is 0. Nothing
// orders the store before the load. This is a data race, whichever of the two the schedule executed first.
//
// ## 2. A barrier carries clocks
//
// On arrival, the warp's clock is joined into the barrier's: of each pair of numbers, the larger one stays. Then the
// warp starts a new epoch, so that its later accesses are not part of what it has released. A warp that passes the
// barrier joins the barrier's clock into its own:
//
//                          clock of warp 0     clock of warp 1     clock of the barrier
//   warp 0: arriveAt          2 0                 0 1                 1 0
//   warp 1: arriveAt          2 0                 0 2                 1 1
//   warp 0: passed            2 1                 0 2                 1 1
//   warp 1: passed            2 1                 1 2                 1 1
//
// Now view(1) covers (0, 1), and warp 1 may load `a`. Another store by warp 0 is the access (0, 2). view(1) does not
// cover it: the next round needs another barrier.
//
// ## 3. Copies are agents, too
//
// A copy runs beside the warp that issued it, so it is an agent of its own. Agents are numbered: first the warps of the
// cluster, then the same number of agents for each kind of unit (AsyncUnit), then the mbarriers. With eight warps, the
// cp.async copies of warp 6 are agent 1 * 8 + 6 = 14, and the first mbarrier is agent 6 * 8 = 48.
//
//   issue(warp 6, CpAsync)      ->  1           // the copy's write is the access (14, 1)
//   view(6).seen.covers(14, 1)  ->  false       // not even warp 6 may read the copy's bytes
//   waited(warp 6, CpAsync, 1)                  // cp.async.wait_group: now it covers (14, 1)
//
// Copies that signal an mbarrier are accesses of the mbarrier's agent. Their epoch is the number of phases that are
// complete once the copies have landed: 1 for a copy that signals phase 0. In this example, warp 5 waits for phase 0 of
// the mbarrier at address 1024. After the wait, warp 5 knows of warp 0's copy:
//
//   mbarrierCopy(warp 0, 0, 1024, 0)   ->  (48, 1)
//   mbarrierPhase(0, 1024, 1)                   // one phase is complete
//   mbarrierObserved(warp 5, 0, 1024)           // view(5) covers (48, 1)
//
// ## 4. Another proxy also needs a fence
//
// After step 2, warp 1 knows of the store. Suppose that warp 1 then starts a bulk copy that reads `a`. The async proxy
// does the reading, and the barrier alone does not order its accesses. `View::fenced` is the clock for that proxy:
// fence.proxy.async copies `seen` into it. fenced.covers(0, 1) is false before proxyFence(warp 1) and true after it.
//
// ## 5. Weak operations order nothing, but are recorded
//
// Warp 2 stores in its epoch 1, and arrives at an mbarrier with `.relaxed`. Warp 3 waits for the phase. view(3).seen
// does not cover (2, 1), so a load by warp 3 races. `View::weak` keeps the order that a release would have given:
// view(3).weak covers (2, 1), so the report can name the arrival. If warp 2 executes `fence.acq_rel` before a relaxed
// arrival, the arrival publishes what came before the fence, and view(3).seen covers (2, 1).
//
// # What carries knowledge
//
//   bar.sync, mbarrier arrive -> wait, cluster barriers, atomics     carry a warp's clock to other warps
//   mbarrier phase                                                   says that the copies which signal it have landed
//   cp.async.wait_group, cp.async.bulk.wait_group, wgmma.wait_group  say that the operations of the warp (for wgmma, of
//                                                                    its warpgroup) are done
//   fence.proxy.async                                                links generic writes and reads to the async proxy
//   fence.acq_rel                                                    lets later relaxed operations publish what came
//                                                                    before it, and acquires what earlier ones observed
//   fence.mbarrier_init                                              lets them publish initialised mbarriers
//   tcgen05.commit -> mbarrier phase, tcgen05.wait                   say that operations of the tensor core are done
//   tcgen05.fence::before_thread_sync, ::after_thread_sync           let relaxed arrivals and waits order tcgen05
//                                                                    operations too, and all barriers those in flight
//
//   bar.warp.sync, and all that orders warps                         order the lanes of a warp (Lanes.h)
//   cp.async.wait_group, cp.async.mbarrier.arrive                    count for the copies of the executing lanes
//
// If part of a diverged warp observes something or executes a fence, the other lanes learn of it when the parts have
// met again.
//
// A release and an acquire order only if each is in the scope of the other (PTX ISA, "Morally strong operations"): the
// scope `.cta` orders nothing between blocks. A relaxed arrival or wait orders nothing without a fence. The order that
// a wider scope or a stronger operation would give is kept separately (View::narrow, View::weak). A report can then
// name the operation.
//
// Decided in the kernel's favour:
// - The lanes of a warp are ordered by execution. If one lane has observed or fenced something, this counts for all
//   lanes that run with it.
// - A wgmma that one warp of a warpgroup has waited for is done for all four warps.
// - Relaxed atomics and volatile accesses order like acquire and release within a block.
// - A barrier also carries what came before a fence, and what relaxed reads have observed: the fence in
//   `__threadfence(); __syncthreads();` also serves another thread that sets the flag later.
// - A commit's arrival carries everything that its warp knew when it committed.
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/check/Shadow.h"
#include "core/gpu/emulator/machine/Block.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

/// The kinds of agents. CpAsync: `cp.async` copies. BulkGroup: the reads of shared memory by bulk stores. BulkWrite:
/// their writes of global memory. Wgmma: the reads of a warpgroup's wgmmas. Tensor: what tcgen05 reads of shared
/// memory. Mbarrier: the copies that signal it.
enum class AsyncUnit : uint8_t { Warp, CpAsync, BulkGroup, BulkWrite, Wgmma, Tensor, Mbarrier };

/// How an arrival, a wait, or a strong access orders. A relaxed one orders memory only together with a fence. It orders
/// tcgen05 operations only together with tcgen05 fences (PTX ISA, "Specialized Inter-thread Synchronization for tcgen05
/// instructions").
struct Semantics {
  bool relaxed = false;
  Scope scope = Scope::System;
  bool flag = false;            // an access of memory: even if it is relaxed, it orders the warps of a block
  const Instr *instr = nullptr; // named in reports if it orders too little
};

/// The accesses that have been released at one place, to the releaser's block or to the cluster.
struct Released {
  std::vector<View> inBlock; // one per releaser's block
  View inCluster;            // by releases whose scope includes the cluster
  Clock toLanes;             // by accesses of memory, for each warp: what its lanes have released to its other lanes

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
  /// The checker's knowledge about an mbarrier.
  struct BarrierState {
    uint32_t rank = 0, address = 0;
    Agent agent = 0;
    Epoch base = 0, last = 0; // epochs are base + phase + 1
    uint32_t issuer = 0;      // the warp that issued the last copy which signals it
    Use init;
    Released pending, done;
  };
  /// An operation that is too weak or too narrow at its place, and the accesses that it leaves unordered.
  struct WeakOperation {
    bool acquires = false, relaxed = false;
    Scope needed = Scope::Block; // the scope that the operation, or its fence, should have
    Clock lost;
  };

  void begin(const Grid &grid, uint32_t blocks, uint32_t warpsPerBlock);

  // --- agents -------------------------------------------------------------------------------------------------------
  const Grid &grid() const { return *grid_; }
  /// True if the run uses this strict form.
  bool isStrict(StrictForm form) const { return grid_->form == form; }
  /// Records that an unordered write passed because it left the bytes as they were.
  void passEqualWrite() { equalWrites_ = true; }
  bool hasEqualWrites() const { return equalWrites_; }
  /// Records that lanes in step race at a load of shared memory whose value each use may discard.
  void passDiscardable() { discardable_ = true; }
  bool hasDiscardable() const { return discardable_; }
  uint32_t warps() const { return warps_; }
  uint32_t warpsPerBlock() const { return warpsPerBlock_; }
  bool oneBlock() const { return warps_ == warpsPerBlock_; }
  /// The warp's number in the cluster, which is also its agent.
  uint32_t numberOf(const Warp &warp) const { return warp.block->clusterRank * warpsPerBlock_ + warp.id; }
  Agent unitOf(const Warp &warp, AsyncUnit unit) const;
  AsyncUnit kindOf(Agent agent) const;
  /// The warp (its number in the cluster) that owns the unit: for a warpgroup, its first warp.
  uint32_t ownerOf(Agent agent) const;
  /// The knowledge that all lanes of warp `number` of the cluster share.
  const View &view(uint32_t number) const { return views_[number]; }
  /// The knowledge of the lanes that the warp executes now.
  const View &viewOf(const Warp &warp) { return known(warp); }
  /// The same view, for adding to it. A warp's view keeps its address until the warp's lanes part or meet.
  View &learning(const Warp &warp) {
    View &view = known(warp);
    inCommon_[numberOf(warp)] = false;
    return warp.splits[warp.current].mask == warp.live ? view : ownView(warp, view);
  }
  /// The use that the agent makes in this instruction.
  Use useOf(const Instr &i, Agent agent, Epoch epoch) const {
    Use use;
    use.agent = agent;
    use.epoch = epoch;
    use.pc = pcOf(i);
    return use;
  }
  Use useOf(const Warp &warp, const Instr &i) const {
    auto w = static_cast<Agent>(numberOf(warp));
    return useOf(i, w, lanes_[w].now);
  }
  uint32_t pcOf(const Instr &i) const { return grid_->pcOf(i); }
  /// True if the instruction is an `atom` or a `red`. If several lanes update one word by it, each update counts.
  bool isReduction(uint32_t pc) const {
    std::string_view opcode = grid_->opcodeOf(grid_->program->code[pc]);
    return opcode.starts_with("atom") || opcode.starts_with("red");
  }

  // --- asynchronous units -------------------------------------------------------------------------------------------
  /// Numbers the next operation of the warp's unit.
  Epoch issue(const Warp &warp, AsyncUnit unit);
  Epoch issued(const Warp &warp, AsyncUnit unit) const {
    return unitEpochs_[static_cast<size_t>(unit) * warps_ + numberOf(warp)];
  }
  /// The warp has waited for the unit's operations up to `epoch`.
  void waited(const Warp &warp, AsyncUnit unit, Epoch epoch);
  /// `lanes` have waited for their `cp.async` copies up to `epoch`, and for no copies of other lanes.
  void copiesWaited(const Warp &warp, uint32_t lanes, Epoch epoch);
  /// A wait for copies: `lanes` of the warp waited in the warp's epoch `at` for copies after `from` and up to `to`.
  struct CopyWait {
    uint32_t lanes = 0;
    Epoch from = 0, to = 0, at = 0;
  };
  /// The wait of one of `lanes` of warp `number` for its copy `epoch`. Null if all lanes of the warp are ordered after
  /// the wait, or have waited for the copy in another way.
  const CopyWait *copyWait(uint32_t number, uint32_t lanes, Epoch epoch) const;
  /// False if copyWait() finds nothing for this warp.
  bool hasCopyWaits(uint32_t number) const { return !copyWaits_[number].empty(); }
  /// True if `covers` holds for the view of any lane of any warp.
  template <class Covers> bool somebodyKnows(Covers covers) const {
    return std::ranges::any_of(views_, covers) || std::ranges::any_of(parts_, [&](const Parts &parts) {
             return std::ranges::any_of(parts.views, covers, &PartView::view);
           });
  }
  /// True if `barrier` carries all copies so far.
  bool covers(const View &barrier) const;

  // --- synchronisation ----------------------------------------------------------------------------------------------
  void proxyFence(const Warp &warp, uint32_t lanes);
  /// A memory fence. If it acquires, the warp acquires what it has observed. If it releases, later relaxed operations
  /// publish what came before the fence.
  struct MemoryFence {
    Scope scope;
    bool acquires = false, releases = false;
  };
  void fence(const Warp &warp, const MemoryFence &fence);
  /// The warp executes `fence.mbarrier_init`.
  void fenceInits(const Warp &warp);
  /// Arrives at a barrier of the block. `lanes` of the warp release what is ordered before them. They do not release
  /// what other lanes did since the lanes last met. (A barrier of all threads does not wait for lanes that have ended:
  /// they count as arrived.)
  void arriveAt(const Warp &warp, uint32_t lanes, View &barrier) {
    tellOf(warp, lanes, barrier, [&] { barrier.join(known(warp)); });
    advance(numberOf(warp));
  }
  void passed(const Warp &warp, const View &barrier) {
    learn(warp, learning(warp), barrier);
    learnOwn(warp, barrier, warp.splits[warp.current].mask);
  }
  /// All of `lanes` execute `bar.warp.sync`.
  void synchronise(const Warp &warp, uint32_t lanes) {
    uint32_t w = numberOf(warp);
    lanes_[w].synchronise(lanes, closedEpoch(w), warp.live);
  }
  /// Lanes of a diverged warp have reached the same instruction again.
  void lanesMet(const Warp &warp, uint32_t lanes) {
    uint32_t w = numberOf(warp);
    lanes_[w].meet(lanes, closedEpoch(w));
  }
  /// The order between the lanes of warp `number`.
  const WarpLanes &lanesOf(uint32_t number) const { return lanes_[number]; }
  /// `lanes` of a warp access memory.
  void touch(uint32_t number, uint32_t lanes) {
    WarpLanes &own = lanes_[number];
    own.touch(lanes, own.now);
  }
  /// All lanes of the warp access memory. Returns the epoch of the access.
  Epoch touchAll(uint32_t number) {
    WarpLanes &own = lanes_[number];
    own.touch(kAllLanes, own.now);
    return own.now;
  }
  /// Does not advance the warp. The caller advances it once per instruction, so that later accesses are not part of the
  /// release.
  void release(const Warp &warp, uint32_t lanes, Released &to, const Semantics &how) {
    if ((lanes_[numberOf(warp)].touched & ~lanes) == 0) [[likely]]
      return release(warp, to, how);
    tellOf(warp, lanes, to.ofBlock(warp.block->clusterRank), [&] {
      oneBlock() ? release(warp, to, how) : tellOf(warp, lanes, to.inCluster, [&] { release(warp, to, how); });
    });
  }
  void acquire(const Warp &warp, const Released &from, const Semantics &how);
  /// Several lanes have updated one word by one atomic, in the order of their numbers. The last of them is ordered
  /// after what the others have released there: it may be the last arrival at a counter.
  ///
  ///   ld.shared r, [x]; atom.acq_rel.add n, [count], 1; @p st.shared [x], 0;      // p: n is the last count
  void followReleases(const Warp &warp, uint32_t lanes, const Released &to);
  /// The entries of Before::apart that a release by `lanes` publishes when the warp publishes `what`.
  std::vector<KnownLanes> toldBy(const Warp &warp, uint32_t lanes, const Before &what);
  /// The relaxed and narrow operations so far, by pc.
  const std::map<uint32_t, WeakOperation> &weakOperations() const { return weakOperations_; }
  /// A barrier has released all lanes of the warp that wait there. It does not matter which of them run now.
  void passedByAll(const Warp &warp, const View &barrier);
  /// Starts a new epoch: the warp's later accesses are not part of what it has released.
  void advance(uint32_t number) {
    auto w = static_cast<Agent>(number);
    const Epoch now = ++lanes_[w].now;
    views_[w].seen.raise(w, now);
    for (PartView &part : parts_[w].views)
      part.view.seen.raise(w, now);
  }
  void clusterArrive(const Warp &warp, uint32_t lanes, const Semantics &how);
  /// A phase of the cluster barrier is over. Warps that wait for the phase later still learn from it.
  void clusterDone() {
    clusterDone_.join(cluster_);
    cluster_.clear();
  }
  void clusterPassed(const Warp &warp) { passed(warp, clusterDone_); }
  /// `lanes` of the warp arrive at a named barrier of its block. If they `wait`, the warp does nothing until the
  /// barrier releases it.
  void arriveNamed(const Warp &warp, uint32_t lanes, uint32_t number, bool wait) {
    uint32_t w = numberOf(warp);
    Named &barrier = named_[warp.block->clusterRank * kNamedBarriers + number];
    if (!wait || !inCommon_[w] || warp.splits.size() > 1 || (lanes_[w].touched & ~lanes)) {
      barrier.joined = true;
      return arriveAt(warp, lanes, barrier.view);
    }
    barrier.arrivals.push_back({w, lanes_[w].now});
    advance(w);
  }
  /// All threads of the block wait at the barrier, and nothing else orders them: they all know the same now.
  bool areInCommon(uint32_t rank, uint32_t number) const {
    const Named &barrier = named_[rank * kNamedBarriers + number];
    return barrier.arrivals.size() == warpsPerBlock_ && !barrier.joined && ended_[rank].seen.empty();
  }
  /// Ends a phase for which areInCommon() holds.
  void meetInCommon(const Block &block, uint32_t number);
  /// The view that all warps of the block had when they last met in common.
  const View &commonOf(uint32_t rank) const { return common_[rank]; }
  /// The arrivals of the open phase.
  View &namedBarrier(uint32_t rank, uint32_t number) {
    Named &barrier = named_[rank * kNamedBarriers + number];
    if (!barrier.arrivals.empty())
      joinArrivals(rank, barrier);
    return barrier.view;
  }
  /// The barrier has released all threads of the block, and all of them have passed it. From now on, their arrivals
  /// need no clocks of their own, until they learn something else.
  void passedByBlock(const Block &block, uint32_t number);
  /// A new phase of the barrier begins.
  void clearNamed(uint32_t rank, uint32_t number) {
    Named &barrier = named_[rank * kNamedBarriers + number];
    barrier.view.clear();
    barrier.joined = false;
  }
  /// The warp has ended. Barriers of all threads of the block no longer wait for it. A warp that passes such a barrier
  /// is ordered after this warp's end.
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
  /// The cp.async copies of `lane` up to `epoch` have landed: this is the arrival of `cp.async.mbarrier.arrive`, which
  /// is `i`.
  void mbarrierAfterCopies(const Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address,
                           Epoch epoch);
  BarrierState &mbarrier(uint32_t rank, uint32_t address);
  /// The mbarrier's number among those of the cluster, from 0.
  size_t mbarrierNumber(uint32_t rank, uint32_t address) {
    return mbarrier(rank, address).agent - static_cast<uint32_t>(AsyncUnit::Mbarrier) * warps_;
  }
  /// True if the owner executes after that step. Relaxed and narrow operations count here: they order no memory, but a
  /// wait for one of them is still a wait.
  static bool comesAfter(const View &owner, Agent agent, Epoch epoch) {
    return owner.seen.covers(agent, epoch) || owner.weak.covers(agent, epoch);
  }
  static bool comesAfter(const Released &owner, Agent agent, Epoch epoch) {
    return comesAfter(owner.inCluster, agent, epoch) ||
           std::ranges::any_of(owner.inBlock, [&](const View &view) { return comesAfter(view, agent, epoch); });
  }
  /// True if the warp is ordered after the end of the mbarrier's first `phases` phases.
  bool knowsPhases(const Warp &warp, uint32_t rank, uint32_t address, uint64_t phases) {
    const BarrierState &state = mbarrier(rank, address);
    return comesAfter(viewOf(warp), state.agent, state.base + static_cast<Epoch>(phases));
  }
  const BarrierState &mbarrierOf(Agent agent) const {
    return mbarriers_[agent - static_cast<uint32_t>(AsyncUnit::Mbarrier) * warps_];
  }

  // --- tcgen05 ------------------------------------------------------------------------------------------------------
  /// What a warp knows about tcgen05 operations and passes on by relaxed synchronisation, and what relaxed
  /// synchronisation has brought to it.
  struct TensorFences {
    Clock fenced, fencedIssued;   // at the last fence::before_thread_sync
    Clock pending, pendingIssued; // from relaxed waits, until the next fence::after_thread_sync
  };
  /// The agent in View::tensor for a warp's operations of one class (TensorRaces.h numbers the classes).
  static Agent tensorAgent(uint32_t number, uint32_t kind) { return static_cast<Agent>(number * kTensorKinds + kind); }
  static constexpr uint32_t kTensorKinds = 3;
  const TensorFences &tensorFences(uint32_t number) const { return tensorFences_[number]; }
  /// True if any warp has made an arrival or a wait that does not order tcgen05 operations by itself.
  bool relaxes() const { return relaxes_; }
  void tensorFenceBefore(const Warp &warp);
  void tensorFenceAfter(const Warp &warp);
  /// Records what the warp and the operations of its tensor core know now, for the waits on the commit's mbarrier. The
  /// returned ticket is passed to commitDone() once.
  uint32_t commit(const Warp &warp);
  void commitDone(uint32_t ticket, uint32_t rank, uint32_t address);

  // --- atomics and strong accesses ----------------------------------------------------------------------------------
  /// A strong write to an address releases to that address's flag, and a strong read there acquires from it. If there
  /// are too many addresses, all of them share one wildcard flag, `kVagueFlag`. It orders more than the kernel does,
  /// never less.
  static constexpr uint64_t kVagueFlag = 0;
  bool flagsAreMany() const { return flags_.size() >= kMaxFlags; }
  Released &flag(uint64_t key) { return flags_[key]; }
  /// The flag's releases; null if there are none.
  const Released *findFlag(uint64_t key) const {
    auto found = flags_.find(key);
    return found == flags_.end() ? nullptr : &found->second;
  }
  /// The bytes that a copy of this object takes.
  size_t memoryBytes() const;
  Released &flagOrVague(uint64_t key) { return flags_[!flagsAreMany() || flags_.contains(key) ? key : kVagueFlag]; }

private:
  static constexpr size_t kMaxFlags = 4096;
  /// Knowledge that some lanes of a diverged warp have gained and the other lanes have not.
  struct PartView {
    uint32_t lanes = 0;
    View view;
  };
  /// The parts of a warp. `known` is the part whose view the lanes `lanes` of `live` use, or kWhole for the warp's own
  /// view.
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
  /// Updates Parts::known when other lanes have begun to run. Merges the views of parts that have met.
  void findKnown(const Warp &warp);
  /// A named barrier. The arrivals of warps whose views are those of Ordering::common_ are kept apart from the view:
  /// the barrier joins them at once, or never, if all warps of the block wait there.
  struct Named {
    View view;
    bool joined = false;                              // the view has arrivals of the open phase
    std::vector<std::pair<uint32_t, Epoch>> arrivals; // the others: the warp, and the last epoch that it has released
  };
  void joinArrivals(uint32_t rank, Named &barrier);
  View &ownView(const Warp &warp, const View &known);
  /// The warp acquires `from`. Operations of the tensor core in flight become ordered only at
  /// `tcgen05.fence::after_thread_sync`.
  void learn(const Warp &warp, View &view, const View &from);
  void learnAll(const Warp &warp, View &view, const View &from);
  void release(const Warp &warp, Released &to, const Semantics &how);
  /// Calls `tell`, which adds the warp's knowledge to `to`. If only `lanes` release, `to` gets no more about the other
  /// lanes than `lanes` know.
  template <class Tell> void tellOf(const Warp &warp, uint32_t lanes, View &to, Tell tell) {
    uint32_t w = numberOf(warp);
    if ((lanes_[w].touched & ~lanes) == 0) [[likely]]
      return tell();
    LaneList before = to.lanesOf(static_cast<Agent>(w));
    tell();
    setApart(warp, lanes, to, before);
  }
  void setApart(const Warp &warp, uint32_t lanes, Before &to, LaneList &told);
  static constexpr Epoch kNoLimit = std::numeric_limits<Epoch>::max();
  /// The lanes `knowers` learn what other lanes of their warp have released to the barrier, up to the epoch `limit`.
  void learnOwn(const Warp &warp, const View &barrier, uint32_t knowers, Epoch limit = kNoLimit) {
    uint32_t w = numberOf(warp);
    if (std::min(barrier.seen[static_cast<Agent>(w)], limit) > lanes_[w].all)
      learnMore(warp, barrier, knowers, limit);
  }
  void learnMore(const Warp &warp, const View &barrier, uint32_t knowers, Epoch limit);
  /// The epoch of the warp's last access. Later accesses get another epoch.
  Epoch closedEpoch(uint32_t number) {
    const Epoch now = lanes_[number].now;
    if (lanes_[number].last < now)
      return now - 1;
    advance(number);
    return now;
  }
  /// True if the operation orders within a block.
  bool ordersInBlock(const Semantics &how) const {
    return !how.relaxed || (how.flag && !isStrict(StrictForm::RelaxedInBlock));
  }
  void releaseRelaxed(const Warp &warp, const View &own, View &to, Scope scope);
  void observe(const Warp &warp, View &view, const View &from, Scope scope);
  void lose(const Semantics &how, bool acquires, Scope needed, const Clock &lost);

  const Grid *grid_ = nullptr;
  uint32_t warps_ = 0, warpsPerBlock_ = 0;
  std::vector<View> views_;      // per warp
  std::vector<Parts> parts_;     // per warp; if two parts share lanes, one contains the other
  std::vector<WarpLanes> lanes_; // per warp
  std::vector<Epoch> unitEpochs_;
  std::vector<std::vector<CopyWait>> copyWaits_; // per warp; those that some lane may not be ordered after
  std::vector<TensorFences> tensorFences_;
  bool relaxes_ = false;
  bool equalWrites_ = false, discardable_ = false;
  std::vector<View> commits_;
  std::vector<uint32_t> freeCommits_;
  std::vector<Named> named_;
  std::vector<View> ended_;
  // Per block, what all of its warps knew when they last met at a named barrier. The view of a warp in `inCommon_`
  // differs from that only in the warp's own epoch.
  std::vector<View> common_;
  std::vector<uint8_t> inCommon_; // per warp
  View joined_;                   // scratch memory of joinArrivals()
  View cluster_, clusterDone_;
  std::vector<BarrierState> mbarriers_;
  size_t lastMbarrier_ = 0;
  std::unordered_map<uint64_t, Released> flags_;
  std::map<uint32_t, WeakOperation> weakOperations_; // by pc
};

} // namespace lanescope::core::emulator
