#include "core/gpu/emulator/schedule/BlockRun.h"

#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/schedule/StepWatch.h"
#include "core/gpu/emulator/sync/Divergence.h"
#include "core/gpu/emulator/sync/TmemPool.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kSlack = 48; // cycles a warp may run ahead of the others before they get their turn

bool pickSplit(Warp &warp) {
  auto count = static_cast<uint32_t>(warp.splits.size());
  for (uint32_t n = 0; n < count; ++n) {
    uint32_t candidate = (warp.current + n) % count;
    if (warp.splits[candidate].state == SplitState::Ready) {
      warp.current = candidate;
      return true;
    }
  }
  return false;
}

template <bool kWatched> RunState runBlockAs(Block &block, uint64_t budget, uint64_t until, StepWatch *watch) {
  const Instr *code = block.grid->program->code.data();
  uint64_t limitExecuted = block.executed + budget;
  while (block.liveWarps > 0) {
    // The earliest runnable warp, and when the next one wants its turn.
    Warp *next = nullptr;
    uint64_t second = UINT64_MAX;
    for (Warp &warp : block.warps) {
      if (!warp.runnable || warp.live == 0)
        continue;
      if (!next || warp.time < next->time) {
        second = next ? next->time : second;
        next = &warp;
      } else {
        second = std::min(second, warp.time);
      }
    }
    uint64_t event = std::min(next ? next->time : UINT64_MAX, block.async.nextTime());
    if (event == UINT64_MAX)
      return RunState::Waiting;
    if (event > until)
      return RunState::Running;
    if (block.async.nextTime() <= event) { // it may wake a warp that comes before the others
      if (kWatched && !watch->landing(block))
        return RunState::Abandoned;
      if (!completeDue(block, event))
        return RunState::Faulted;
      continue;
    }
    Warp &warp = *next;
    if (block.executed >= limitExecuted)
      return RunState::Running;
    uint64_t limit = std::min({second == UINT64_MAX ? UINT64_MAX : second + kSlack, block.async.nextTime(), until});
    if (!pickSplit(warp)) {
      warp.runnable = false;
      continue;
    }
    uint64_t count = 0;
    for (bool running = true; running;) {
      Split &split = warp.splits[warp.current];
      if (split.pc == split.rpc) [[unlikely]] {
        mergeSplit(warp);
        if (!pickSplit(warp)) {
          warp.runnable = false;
          running = false;
        }
        continue;
      }
      const Instr &i = code[split.pc];
      uint32_t mask = split.mask;
      if (i.guard != kNone) {
        uint32_t p = warp.predicate(i.guard);
        mask &= i.guardNegated ? ~p : p;
      }
      if (kWatched && !watch->step(warp, i, split.pc, mask)) {
        block.executed += count;
        return RunState::Abandoned;
      }
      if (i.waitsForLoads && warp.loadsReady > warp.time)
        warp.time = warp.loadsReady;
      warp.time += i.cost;
      ++count;
      if (i.tracked && block.checks && mask && !block.checks->registers.use(warp, i)) [[unlikely]]
        return RunState::Faulted;
      Step step = mask == 0 && i.target == kNone ? Step::Next : i.run(warp, i, mask);
      switch (step) {
      case Step::Next: ++split.pc; break;
      case Step::Yield:
        ++split.pc;
        running = false;
        break;
      case Step::Jump: break;
      case Step::Blocked:
      case Step::Gone: {
        if (!pickSplit(warp)) {
          warp.runnable = false;
          running = false;
        }
        continue;
      }
      case Step::Fault: block.executed += count; return RunState::Faulted;
      }
      if (warp.time > limit || (count & 4095) == 4095) {
        running = false;
        if (warp.splits.size() > 1 && count >= 4095)
          warp.current = (warp.current + 1) % static_cast<uint32_t>(warp.splits.size());
      }
    }
    block.executed += count;
  }
  // What is still in flight finishes, but a copy that has yet to read shared memory reads what is no longer there.
  if (!reportUnfinished(block) || !reportLeaks(block))
    return RunState::Faulted;
  return finishAsync(block) ? RunState::Finished : RunState::Faulted;
}

} // namespace

RunState runBlock(Block &block, uint64_t budget, uint64_t until, StepWatch *watch) {
  return watch ? runBlockAs<true>(block, budget, until, watch) : runBlockAs<false>(block, budget, until, nullptr);
}

} // namespace lanescope::core::emulator
