#include "core/gpu/emulator/schedule/BlockRun.h"

#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/async/Wgmma.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/check/Rules.h"
#include "core/gpu/emulator/check/SharedReads.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/schedule/StepWatch.h"
#include "core/gpu/emulator/sync/Divergence.h"
#include "core/gpu/emulator/sync/TmemPool.h"

#include <algorithm>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kWarpSlack = 48; // cycles a warp may run ahead before the other warps run
// The number of instructions that some lanes of a warp may execute before its other lanes run. kApartTurn applies if
// the lanes wait for each other.
constexpr uint32_t kSplitTurn = 4096, kApartTurn = 256;

bool pickSplit(Warp &warp) {
  auto count = static_cast<uint32_t>(warp.splits.size());
  if (warp.current < count && warp.splits[warp.current].state == SplitState::Ready) [[likely]]
    return true;
  for (uint32_t n = 0; n < count; ++n) {
    uint32_t candidate = (warp.current + n) % count;
    if (warp.splits[candidate].state == SplitState::Ready) {
      warp.current = candidate;
      return true;
    }
  }
  return false;
}

/// True if the checker, or a run with instant operations, needs to know that the instruction uses registers of wgmmas.
/// Reads matter only while a wgmma is in flight.
bool usesRegisters(const Warp &warp, const Instr &i) {
  if (warp.wgmma.ops.empty())
    return i.tracked == Tracked::Writes && warp.block->checks;
  return warp.block->checks || warp.block->grid->instant;
}

/// The run continues after a finding of the checker: executes the instruction without checks, and without what a replay
/// changes of it, which needs the checks. An instruction with a wrong address does nothing. Returns Fault if the run
/// ends.
Step goOnAfterFault(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  if (!block.grid->keepGoing || !block.fault)
    return Step::Fault;
  if (std::ranges::find(kCheckerRules, block.fault->kind) != kCheckerRules.end() && goesOnAfterFault(block)) {
    Checker *checks = std::exchange(block.checks, nullptr);
    Step step = block.grid->program->code[block.grid->pcOf(i)].run(warp, i, mask);
    block.checks = checks;
    if (step != Step::Fault || !block.fault)
      return step;
  }
  return isAccessFault(block.fault->kind) && goesOnAfterFault(block) ? Step::Next : Step::Fault;
}

/// Does the same for faults of operations in flight. The fault may belong to another block of the cluster.
bool goesOnInCluster(Block &block) {
  bool any = false;
  for (const auto &other : block.cluster->blocks)
    if (other->fault) {
      if (!goesOnAfterFault(*other))
        return false;
      any = true;
    }
  return any;
}

template <bool kWatched> RunState runBlockAs(Block &block, uint64_t budget, uint64_t until, StepWatch *watch) {
  const Instr *code = block.grid->code();
  uint64_t limitExecuted = block.executed + budget;
  while (block.liveWarps > 0) {
    // Finds the earliest runnable warp, and the time at which the next warp is due.
    Warp *next = nullptr;
    uint64_t first = UINT64_MAX, second = UINT64_MAX;
    for (Warp &warp : block.warps) { // without branches, because the processor cannot predict which warp comes first
      uint64_t time = warp.runnable && warp.live ? warp.time : UINT64_MAX;
      bool earlier = time < first;
      second = earlier ? first : std::min(second, time);
      first = earlier ? time : first;
      next = earlier ? &warp : next;
    }
    uint64_t event = std::min(first, block.async.nextTime());
    if (event == UINT64_MAX)
      return RunState::Waiting;
    if (event > until)
      return RunState::Running;
    if (block.async.nextTime() <= event) { // its event may wake a warp that comes before the others
      if (kWatched && !watch->landing(block))
        return RunState::Abandoned;
      if (!completeDue(block, event) && !goesOnInCluster(block))
        return RunState::Faulted;
      continue;
    }
    Warp &warp = *next;
    if (block.executed >= limitExecuted)
      return RunState::Running;
    uint64_t limit = std::min({second == UINT64_MAX ? UINT64_MAX : second + kWarpSlack, block.async.nextTime(), until});
    if (!pickSplit(warp)) {
      warp.runnable = false;
      continue;
    }
    // A warp alone may poll for ever, so its turn ends with the budget.
    const uint64_t most = std::min<uint64_t>(kSplitTurn - 1, limitExecuted - block.executed);
    uint64_t count = 0;
    Split *split = &warp.splits[warp.current];
    for (;;) {
      if (split->pc == split->rpc) [[unlikely]] {
        mergeSplit(warp);
        if (!pickSplit(warp)) {
          warp.runnable = false;
          break;
        }
        split = &warp.splits[warp.current];
        continue;
      }
      const Instr &i = code[split->pc];
      uint32_t mask = split->mask;
      if (i.guard != kNone) {
        uint32_t p = warp.predicate(i.guard);
        mask &= i.guardNegated ? ~p : p;
      }
      if (kWatched && !watch->step(warp, i, split->pc, mask))
        return RunState::Abandoned;
      if (i.waitsForLoads && warp.loadsReady > warp.time)
        warp.time = warp.loadsReady;
      warp.time += i.cost;
      ++count;
      Step step = Step::Next;
      if (i.tracked != Tracked::None && mask && usesRegisters(warp, i)) [[unlikely]]
        if (step = useRegisters(warp, i); step == Step::Fault && goesOnAfterFault(block))
          step = Step::Next;
      if (step == Step::Fault) [[unlikely]]
        return RunState::Faulted;
      if (step == Step::Next && (mask != 0 || i.target != kNone)) [[likely]]
        step = i.run(warp, i, mask);
      if (step == Step::Fault) [[unlikely]]
        step = goOnAfterFault(warp, i, mask);
      if (step == Step::Next) [[likely]] { // the splits have not changed
        ++split->pc;
      } else {
        if (step == Step::Fault) {
          if (!awaitLanes(warp)) {
            block.executed += count;
            return RunState::Faulted;
          }
          step = Step::Blocked;
        }
        if (step == Step::Blocked || step == Step::Gone) {
          if (!pickSplit(warp)) {
            warp.runnable = false;
            break;
          }
          split = &warp.splits[warp.current];
          continue;
        }
        split = &warp.splits[warp.current];
        split->pc += step == Step::Yield;
      }
      if (warp.time > limit || count >= most || step == Step::Yield || step == Step::Later)
        break;
    }
    if (warp.splits.size() > 1) {
      warp.turn += static_cast<uint32_t>(count);
      if (warp.turn >= (warp.apart ? kApartTurn : kSplitTurn)) {
        warp.turn = 0;
        warp.current = (warp.current + 1) % static_cast<uint32_t>(warp.splits.size());
        pickSplit(warp); // selects the split that runs next, for code that inspects the warp before it runs
      }
    }
    block.executed += count;
  }
  // Operations in flight finish. A copy that has not yet read shared memory is reported, because that memory is gone
  // now.
  if ((!reportUnfinished(block) || !reportLeaks(block)) && !goesOnAfterFault(block))
    return RunState::Faulted;
  if (SharedReads *reads = block.grid->sharedReads)
    reads->end(block);
  return finishBlock(block) ? RunState::Finished : RunState::Faulted;
}

} // namespace

bool finishBlock(Block &block) {
  while (!finishAsync(block))
    if (!goesOnInCluster(block))
      return false;
  return true;
}

RunState runBlock(Block &block, uint64_t budget, uint64_t until, StepWatch *watch) {
  return watch ? runBlockAs<true>(block, budget, until, watch) : runBlockAs<false>(block, budget, until, nullptr);
}

} // namespace lanescope::core::emulator
