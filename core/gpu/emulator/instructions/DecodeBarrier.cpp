// Barriers (PTX ISA 9.7.13.1-3, 9.7.13.15): bar/barrier, bar.warp.sync, mbarrier.
#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/sync/Mbarriers.h"
#include "core/gpu/emulator/sync/NamedBarriers.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

namespace {

constexpr std::string_view kPartialBarrierKind = "partial-barrier";

// --- named barriers ------------------------------------------------------------------------------------------------

/// Reports lanes that went round the barrier and have ended since. Returns false after a fault, which is only possible
/// in a strict run.
bool tellDeserters(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t ended = std::exchange(warp.split().desertedBy, 0) & ~warp.live;
  Block &block = *warp.block;
  if (!ended || !block.checks || !isNews(block, kPartialBarrierKind, block.checks->order.pcOf(i)))
    return true;
  return hazard(
      warp, i, std::string(kPartialBarrierKind),
      Message("`{}` is executed by {lanes} lanes of the warp while {} others go round it and end; all threads of a "
              "warp have to come to it, or to end before: let lanes that have finished stay in the loop and do nothing",
              block.grid->opcodeOf(i), std::popcount(mask), std::popcount(ended)),
      static_cast<uint32_t>(std::countr_zero(mask)));
}

Step barrier(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  bool aligned = i.sub & kBarAligned;
  if (block.checks && block.checks->phases.comesLate(warp))
    return Step::Later;
  if (aligned && (!wholeWarp(warp, i, mask) || !tellDeserters(warp, i, mask)))
    return Step::Fault;
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  uint32_t number = warp.reg<uint32_t>(i.a)[first];
  uint32_t count = i.b == kNone ? 0 : warp.reg<uint32_t>(i.b)[first];
  if (number > 15)
    return fault(warp, i, "barrier", Message("barrier {barrier} does not exist; a block has barriers 0 to 15", number),
                 first);
  if (count % 32 != 0 || (i.b != kNone && count == 0))
    return fault(warp, i, "barrier",
                 Message("the barrier is for {threads} threads; the count must be a multiple of 32", count), first);
  NamedBarrier &state = block.barriers[number];
  if (!state.open) {
    state.open = true;
    state.expected = count;
    state.reduceAnd = 1;
    state.instruction = warp.split().pc;
  } else if (state.expected != count) {
    const Instr &other = block.grid->program->code[state.instruction];
    return fault(warp, i, "barrier",
                 Message("barrier {barrier} is awaited for {} threads here, but for {} elsewhere", number,
                         count ? text(count) : text("all"), state.expected ? text(state.expected) : text("all")),
                 kNone, {Note{block.grid->spanOf(other), "the other use in this phase is here"}});
  }
  if ((i.sub & kBarKind) >= kBarRedAnd) {
    uint32_t p = warp.predicate(i.c);
    p = (i.sub & kBarNegated ? ~p : p) & mask;
    state.reduceAnd &= p == mask;
    state.reduceOr |= p != 0;
    state.reduceCount += static_cast<uint32_t>(std::popcount(p));
  }
  state.arrived += aligned ? 32 : static_cast<uint32_t>(std::popcount(mask));
  state.time = std::max(state.time, warp.time);
  ++block.effects;
  if (block.checks) {
    block.checks->phases.arrivesNamed(warp, i, number, mask, (i.sub & kBarKind) != kBarArrive);
    block.checks->order.arriveNamed(warp, mask | ~warp.live, number, (i.sub & kBarKind) != kBarArrive);
  }
  ++block.effects;
  uint32_t expected = count ? count : threadsAwaited(block, aligned);
  if (state.arrived > expected)
    return fault(warp, i, "barrier",
                 Message("{arrived} threads arrive at barrier {barrier}, which is for {threads}", state.arrived, number,
                         expected),
                 kNone,
                 block.checks ? block.checks->phases.arrivalsAtNamed(block.clusterRank, number) : std::vector<Note>());
  bool waits = (i.sub & kBarKind) != kBarArrive;
  Split &split = warp.split();
  if (waits) {
    split.state = SplitState::AtBarrier;
    split.waitFor = number;
  }
  ++split.pc;
  if (state.arrived == expected)
    releaseBarrier(block, number);
  if (!waits)
    return Step::Jump;
  return Step::Blocked;
}

bool decodeBar(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.take("warp")) {
    if (!mods.take("sync") || !d.finish(mods, 1))
      return false;
    i.e = d.source(d.operand(0), 32);
    i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
      if (std::optional<Step> done = byMembers(warp, i, mask, i.e))
        return *done;
      if (warp.block->checks)
        warp.block->checks->order.synchronise(warp, mask);
      return Step::Next;
    };
    return !d.failed();
  }
  bool isBar = mods.root() == "bar";
  mods.take("cta");
  std::string_view kind = mods.takeOne({"sync", "arrive", "red"});
  std::string_view op = kind == "red" ? mods.takeOne({"popc", "and", "or"}) : std::string_view{};
  bool aligned = mods.take("aligned") || isBar;
  if (kind.empty() || (kind == "red") != !op.empty())
    return false;
  if (kind == "red")
    mods.takeType();
  size_t first = kind == "red" ? 1 : 0, extra = kind == "red" ? 1 : 0;
  if (!d.finish(mods, kind == "arrive" ? 2 : first + extra + 1, first + extra + 2))
    return false;
  i.sub = kind == "sync"     ? kBarSync
          : kind == "arrive" ? kBarArrive
          : op == "and"      ? kBarRedAnd
          : op == "or"       ? kBarRedOr
                             : kBarRedPopc;
  if (kind == "red") {
    i.d = op == "popc" ? d.dest(d.operand(0), 32) : d.predicateDest(d.operand(0));
    bool negated = false;
    i.c = d.predicate(d.operand(d.operandCount() - 1), negated);
    if (negated)
      i.sub |= kBarNegated;
  }
  if (aligned)
    i.sub |= kBarAligned;
  i.a = d.source(d.operand(first), 32);
  if (d.operandCount() > first + extra + 1)
    i.b = d.source(d.operand(first + 1), 32);
  i.cost = cost::kBarrier;
  i.run = &barrier;
  return !d.failed();
}

// --- mbarriers -----------------------------------------------------------------------------------------------------

Step mbarrierFault(Warp &warp, const Instr &i, uint32_t lane, Block &block, uint32_t address, MbarrierProblem problem) {
  std::string where = describeShared(block, address), which = describeMbarrier(block, address);
  std::vector<Note> notes;
  if (const Mbarrier *barrier = block.mbarriers.find(address))
    notes.push_back({block.grid->spanOf(block.grid->program->code[barrier->initialised]), "it was initialised here"});
  switch (problem) {
  case MbarrierProblem::NotInitialised:
    if (std::optional<uint32_t> by = block.mbarriers.invalidatedBy(address))
      return fault(warp, i, "mbarrier",
                   Message("the mbarrier at {barrier} has been invalidated and is still used", where), lane,
                   {Note{block.grid->spanOf(block.grid->program->code[*by]),
                         "this `mbarrier.inval` lacks a barrier before it, after the last use of the mbarrier"}});
    return fault(warp, i, "mbarrier", Message("there is no initialised mbarrier at {barrier}", where), lane);
  case MbarrierProblem::Overwritten:
    return fault(warp, i, "mbarrier", Message("{} was overwritten by something else", which).with("barrier", where),
                 lane, std::move(notes));
  case MbarrierProblem::TooManyArrivals:
    if (const Mbarrier *barrier = block.mbarriers.find(address); barrier && countsWarpgroups(block, *barrier))
      notes.push_back(
          {block.grid->spanOf(i),
           text("a phase takes ", barrier->expected / 128, barrier->expected == 128 ? " arrival" : " arrivals",
                " (of a warpgroup or of a copy; each counts 128): wait with `barrier_wait` before the next "
                "one, or let the phase take more with `Barrier(num_arrivals=…)`")});
    if (block.checks)
      for (Note &arrival : block.checks->phases.arrivalsAt(block.clusterRank, address))
        notes.push_back(std::move(arrival));
    return fault(warp, i, "mbarrier",
                 Message("more arrivals than {} expects in one phase", which).with("barrier", where), lane,
                 std::move(notes));
  case MbarrierProblem::TxRange:
    return fault(
        warp, i, "mbarrier",
        Message("the transaction count of {} leaves its range of {} bytes", which, kMaxTx).with("barrier", where), lane,
        std::move(notes));
  case MbarrierProblem::None: break;
  }
  return Step::Next;
}

/// Gets the window offset of the lane's barrier, which must be aligned and inside shared memory. Returns false after a
/// fault.
bool barrierAddress(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out) {
  return sharedAddress(warp, i, lane, address, out, i.space) &&
         resolve(warp, i, lane, out, Space::Shared, {8, 8, Access::Atomic}) != nullptr;
}

/// Gets the block of the lane's barrier, and the barrier's address there. Only `.shared::cluster` can refer to another
/// block. Returns null after a fault.
Block *barrierPlace(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out) {
  if (i.space != Space::SharedCluster)
    return barrierAddress(warp, i, lane, address, out) ? warp.block : nullptr;
  Block *owner = sharedPlace(warp, i, lane, address, out, i.space);
  return owner && resolve(warp, i, lane, rankedAddress(owner->clusterRank, out), i.space, {8, 8, Access::Atomic})
             ? owner
             : nullptr;
}

Step initialise(Warp &warp, const Instr &i, uint32_t mask) {
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  Block &block = *warp.block;
  const uint32_t *count = i.b == kNone ? nullptr : warp.reg<uint32_t>(i.b);
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t address = 0;
    if (!barrierAddress(warp, i, l, addresses[l], address))
      return Step::Fault;
    if (!count) { // inval
      MbarrierProblem problem;
      if (!findMbarrier(block, address, problem))
        return mbarrierFault(warp, i, l, block, address, problem);
      block.mbarriers.invalidate(address, warp.split().pc);
      if (block.checks)
        block.checks->shared.mbarrierEnds(block.clusterRank, address);
      continue;
    }
    if (count[l] == 0 || count[l] > kMaxArrivals)
      return fault(warp, i, "mbarrier",
                   Message("the mbarrier is for {} arrivals; it takes 1 to {limit}", count[l], kMaxArrivals), l);
    if (Mbarrier *old = block.mbarriers.find(address)) {
      uint64_t image = 0;
      std::memcpy(&image, block.shared.data() + (address - kSharedBase), 8);
      constexpr std::string_view kTwiceKind = "mbarrier-initialised-twice";
      if (image == old->image && isNews(block, kTwiceKind, warp.split().pc, old->initialised) &&
          !hazard(warp, i, std::string(kTwiceKind),
                  Message("the mbarrier at {place} is initialised twice without `mbarrier.inval`",
                          describeShared(block, address)),
                  l,
                  {Note{block.grid->spanOf(block.grid->program->code[old->initialised]), "it was initialised here"}}))
        return Step::Fault;
      block.mbarriers.remove(address);
    }
    Mbarrier &barrier = block.mbarriers.add(address);
    barrier.expected = barrier.pending = count[l];
    barrier.initialised = warp.split().pc;
    storeImage(block, barrier);
    if (block.checks) {
      block.checks->order.mbarrierInit(warp, i, block.clusterRank, address);
      block.checks->shared.mbarrierBegins(block.clusterRank, address);
      block.checks->phases.initialised(block.clusterRank, barrier);
    }
  }
  ++block.effects;
  return Step::Next;
}

enum ArriveSub : uint8_t { kDrop = 1, kExpect = 2, kNoComplete = 4, kComplete = 8, kOnlyTx = 16, kLoose = 32 };

// A state token holds the phase to which the arrival belongs, and the pending count before the arrival.
uint64_t tokenOf(const Mbarrier &barrier) {
  return (barrier.phase & ((1ull << 40) - 1)) | static_cast<uint64_t>(barrier.pending) << 40;
}

Semantics semanticsOf(const Instr &i, uint8_t relaxed) {
  return {(i.sub & relaxed) != 0, i.inBlock ? Scope::Block : Scope::Cluster, false, &i};
}

/// Performs a whole warp's arrivals at one barrier, if its phase stays open. The effect is the same as that of one
/// arrival after another.
MbarrierProblem arriveTogether(Warp &warp, Block &block, Mbarrier &barrier, const uint32_t *bytes, uint64_t *token) {
  int64_t tx = 0;
  for (uint32_t l = 0; l < kLanes; ++l)
    tx += bytes ? bytes[l] : 0;
  for (uint64_t l = 0; l < kLanes && token; ++l)
    token[l] = tokenOf(barrier) - (l << 40);
  return updateMbarrier(block, barrier, kLanes, tx, warp.time);
}

/// The lanes of `mask` from `lane` on that arrive in this phase of the lane's barrier, if each of them counts once.
uint32_t lanesOfPhase(const uint64_t *addresses, uint32_t lane, uint32_t mask, uint32_t pending) {
  uint32_t out = 0;
  for (uint32_t l = lane; l < kLanes && pending > 0; ++l)
    if ((mask >> l & 1) && addresses[l] == addresses[lane]) {
      out |= 1u << l;
      --pending;
    }
  return out;
}

/// arrive (b: count, c: bytes), expect_tx and complete_tx (c: bytes, kOnlyTx).
Step arrive(Warp &warp, const Instr &i, uint32_t mask) {
  Checker *checks = warp.block->checks;
  if (checks && checks->phases.comesLate(warp))
    return Step::Later;
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  const uint32_t *count = i.b == kNone ? nullptr : warp.reg<uint32_t>(i.b);
  const uint32_t *bytes = i.c == kNone ? nullptr : warp.reg<uint32_t>(i.c);
  uint64_t *token = i.d == kNone ? nullptr : warp.reg<uint64_t>(i.d);
  // Lanes usually use one barrier. So the barrier is looked up once, and the warp releases to it once per phase.
  uint64_t last = ~addresses[static_cast<uint32_t>(__builtin_ctz(mask))], toldPhase = UINT64_MAX;
  Block *owner = nullptr;
  Mbarrier *barrier = nullptr;
  uint32_t address = 0;
  uint64_t others = 0;
  for (uint64_t one : addresses)
    others |= one ^ addresses[0];
  bool together = mask == kAllLanes && others == 0 && !count && (i.sub & ~(kExpect | kLoose)) == 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    if (addresses[l] != last) {
      owner = barrierPlace(warp, i, l, addresses[l], address);
      if (!owner)
        return Step::Fault;
      MbarrierProblem problem;
      barrier = findMbarrier(*owner, address, problem);
      if (!barrier)
        return mbarrierFault(warp, i, l, *owner, address, problem);
      last = addresses[l];
      toldPhase = UINT64_MAX;
    }
    Block &block = *owner;
    uint32_t arrivals = i.sub & kOnlyTx ? 0 : count ? count[l] : 1;
    if (!(i.sub & kOnlyTx) && (arrivals == 0 || arrivals > kMaxArrivals))
      return fault(warp, i, "mbarrier",
                   Message("the arrival counts {} times; 1 to {limit} are possible", arrivals, kMaxArrivals), l);
    together = together && barrier->pending > kLanes && !block.grid->flights;
    if (token && !together)
      token[l] = tokenOf(*barrier);
    if ((i.sub & kNoComplete) && arrivals >= barrier->pending)
      return fault(warp, i, "mbarrier",
                   Message("`{}` would complete the phase of the mbarrier at {place}", block.grid->opcodeOf(i),
                           describeShared(block, address)),
                   l);
    if (i.sub & kDrop) {
      if (arrivals > barrier->expected)
        return mbarrierFault(warp, i, l, block, address, MbarrierProblem::TooManyArrivals);
      barrier->expected -= arrivals;
    }
    int64_t tx = bytes ? bytes[l] : 0;
    if (block.checks && toldPhase != barrier->phase) {
      if (!block.checks->mbarrierReady(warp, i, l, block.clusterRank, address))
        return Step::Fault;
      if (&block != warp.block)
        block.checks->remote.add(block.clusterRank, warp, i);
      if (arrivals) {
        const bool fits = others == 0 && l == 0 && (count || barrier->pending >= kLanes);
        const uint32_t lanes = fits ? mask : lanesOfPhase(addresses, l, mask, count ? kLanes : barrier->pending);
        // If not, the next phase counts the other lanes.
        const bool parts = !fits && lanesOfPhase(addresses, l, mask, kLanes) != lanes;
        block.checks->phases.arrives(warp, i, lanes, block, *barrier);
        block.checks->order.mbarrierArrive(warp, parts ? lanes : mask, block.clusterRank, address,
                                           semanticsOf(i, kLoose));
      }
      toldPhase = barrier->phase;
    }
    if (block.grid->flights)
      block.grid->flights->arrives(block, warp);
    MbarrierProblem problem = together
                                  ? arriveTogether(warp, block, *barrier, bytes, token)
                                  : updateMbarrier(block, *barrier, arrivals, i.sub & kComplete ? -tx : tx, warp.time);
    if (problem != MbarrierProblem::None)
      return mbarrierFault(warp, i, l, block, address, problem);
    if (together)
      break;
  }
  if (checks)
    checks->phases.done(warp);
  return Step::Next;
}

enum WaitSub : uint8_t { kTry = 1, kParityKind = 2, kLooseWait = 4 };
constexpr uint32_t kIdlePolls = 256; // failed test_waits in an idle block before the test sleeps like a try_wait

Step wait(Warp &warp, const Instr &i, uint32_t mask) {
  Checker *checks = warp.block->checks;
  if (checks && checks->phases.comesLate(warp))
    return Step::Later;
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  Block &block = *warp.block;
  const uint32_t *parity = i.sub & kParityKind ? warp.reg<uint32_t>(i.b) : nullptr;
  const uint64_t *token = i.sub & kParityKind ? nullptr : warp.reg<uint64_t>(i.b);
  uint32_t done = 0;
  const Mbarrier *pending = nullptr, *observed = nullptr;
  uint64_t lastAddress = ~0ull;
  Mbarrier *barrier = nullptr;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    if (addresses[l] != lastAddress) {
      uint32_t address = 0;
      if (!barrierAddress(warp, i, l, addresses[l], address))
        return Step::Fault;
      MbarrierProblem problem;
      barrier = findMbarrier(block, address, problem);
      if (!barrier)
        return mbarrierFault(warp, i, l, block, address, problem);
      if (block.checks && !block.checks->mbarrierReady(warp, i, l, block.clusterRank, address))
        return Step::Fault;
      lastAddress = addresses[l];
    }
    bool complete = false;
    if (parity) {
      constexpr std::string_view kParityKind = "mbarrier-parity";
      if (parity[l] > 1 && isNews(block, kParityKind, warp.split().pc) &&
          !hazard(warp, i, std::string(kParityKind),
                  Message("the phase parity is {}: only the lowest bit counts; write 0 or 1", parity[l]), l))
        return Step::Fault;
      complete = (barrier->phase & 1) != (parity[l] & 1);
    } else {
      complete = barrier->phase > (token[l] & ((1ull << 40) - 1));
    }
    done |= static_cast<uint32_t>(complete) << l;
    if (checks && parity && (complete ? barrier != observed : !pending))
      checks->phases.waits(warp, i, *barrier, parity[l], complete);
    if (complete && barrier != observed) {
      if (block.checks)
        block.checks->order.mbarrierObserved(warp, block.clusterRank, barrier->address, semanticsOf(i, kLooseWait));
      if (!block.landing.empty() && !phaseObserved(block, *barrier))
        return Step::Fault;
      observed = barrier;
    }
    if (!complete && !pending)
      pending = barrier;
  }
  Split &split = warp.split();
  if (done == mask) {
    if (checks)
      checks->phases.done(warp);
    commitPredicate(warp, i.d, done, mask);
    split.idlePolls = 0;
    split.timedOut = false;
    return Step::Next;
  }
  if (!(i.sub & kTry) && !split.timedOut) {
    split.idlePolls = split.pollEffects == block.effects ? split.idlePolls + 1 : 0;
    split.pollEffects = block.effects;
  }
  if (split.timedOut || (!(i.sub & kTry) && split.idlePolls < kIdlePolls)) {
    split.timedOut = false;
    commitPredicate(warp, i.d, done, mask);
    warp.time += cost::kPoll;
    return Step::Yield;
  }
  split.state = SplitState::AtMbarrier;
  split.waitFor = pending->address;
  split.waitPhase = pending->phase;
  return Step::Blocked;
}

Space takeSharedSpace(Modifiers &mods) {
  return mods.takeOne({"shared", "shared::cta"}).empty() ? Space::Generic : Space::Shared;
}
/// Takes the space of instructions that can access other blocks' barriers.
Space takeClusterSpace(Modifiers &mods) {
  return mods.take("shared::cluster") ? Space::SharedCluster : takeSharedSpace(mods);
}

/// Returns true if the access is relaxed. The default scope is `.cta` (PTX ISA, `mbarrier.arrive`,
/// `mbarrier.test_wait`).
bool takeOrdering(Modifiers &mods, Instr &i) {
  bool relaxed = mods.takeOne({"release", "relaxed", "acquire"}) == "relaxed";
  i.inBlock = mods.takeOne({"cta", "cluster"}) != "cluster";
  return relaxed;
}

bool decodeMbarrier(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view op = mods.takeOne(
      {"init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait", "pending_count"});
  i.cost = cost::kMbarrier;
  if (op == "init" || op == "inval") {
    Space space = takeSharedSpace(mods);
    if (mods.takeType().bits != 64 || !d.finish(mods, op == "init" ? 2 : 1))
      return false;
    if (op == "init")
      i.b = d.source(d.operand(1), 32);
    i.run = &initialise;
    return d.address(d.operand(0), i, space) && !d.failed();
  }
  if (op == "arrive" || op == "arrive_drop") {
    bool expect = mods.take("expect_tx"), noComplete = mods.take("noComplete"), relaxed = takeOrdering(mods, i);
    Space space = takeClusterSpace(mods);
    if (mods.takeType().bits != 64 || !d.finish(mods, expect || noComplete ? 3 : 2, 3))
      return false;
    if (space == Space::SharedCluster && d.operand(0).kind != Operand::Kind::Sink)
      return d.fail("an arrival at another block's mbarrier gives no state: write `_`");
    if (!expect && !noComplete && d.operandCount() == 3 && !d.requireTarget(90, "a count without `.noComplete`"))
      return false;
    i.sub = static_cast<uint8_t>((op == "arrive_drop" ? kDrop : 0) | (expect ? kExpect : 0) |
                                 (noComplete ? kNoComplete : 0) | (relaxed ? kLoose : 0));
    i.d = d.dest(d.operand(0), 64);
    if (expect)
      i.c = d.source(d.operand(2), 32);
    else if (d.operandCount() == 3)
      i.b = d.source(d.operand(2), 32);
    i.run = &arrive;
    return d.address(d.operand(1), i, space) && !d.failed();
  }
  if (op == "expect_tx" || op == "complete_tx") {
    takeOrdering(mods, i);
    Space space = takeClusterSpace(mods);
    if (mods.takeType().bits != 64 || !d.finish(mods, 2))
      return false;
    i.sub = static_cast<uint8_t>(kOnlyTx | (op == "complete_tx" ? kComplete : 0));
    i.c = d.source(d.operand(1), 32);
    i.run = &arrive;
    return d.address(d.operand(0), i, space) && !d.failed();
  }
  if (op == "test_wait" || op == "try_wait") {
    bool byParity = mods.take("parity"), relaxed = takeOrdering(mods, i);
    Space space = takeSharedSpace(mods);
    if (mods.takeType().bits != 64 || !d.finish(mods, 3, op == "try_wait" ? 4 : 3))
      return false;
    i.sub =
        static_cast<uint8_t>((op == "try_wait" ? kTry : 0) | (byParity ? kParityKind : 0) | (relaxed ? kLooseWait : 0));
    if (byParity && d.operand(2).kind == Operand::Kind::Integer && d.operand(2).bits > 1)
      return d.fail(Message("the phase parity is {bits}, and must be 0 or 1", d.operand(2).bits));
    i.d = d.predicateDest(d.operand(0));
    i.b = d.source(d.operand(2), byParity ? 32u : 64u);
    i.run = &wait;
    return d.address(d.operand(1), i, space) && !d.failed();
  }
  if (op == "pending_count") {
    if (mods.takeType().bits != 64 || !d.finish(mods, 2))
      return false;
    i.d = d.dest(d.operand(0), 32);
    i.a = d.source(d.operand(1), 64);
    i.run = &unary<[](uint64_t token) { return static_cast<uint32_t>(token >> 40); }, uint32_t, uint64_t>;
    return !d.failed();
  }
  return false;
}

} // namespace

const Family &barrierFamily() {
  static const Family family{{"bar", &decodeBar}, {"barrier", &decodeBar}, {"mbarrier", &decodeMbarrier}};
  return family;
}

} // namespace lanescope::core::emulator
