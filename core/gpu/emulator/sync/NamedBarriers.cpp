#include "core/gpu/emulator/sync/NamedBarriers.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

void releaseBarrier(Block &block, uint32_t number) {
  NamedBarrier &barrier = block.barriers[number];
  Checker *checks = block.checks;
  const Program &program = *block.grid->program;
  const bool inCommon = checks && checks->order.areInCommon(block.clusterRank, number);
  View *view = checks && !inCommon ? &checks->order.namedBarrier(block.clusterRank, number) : nullptr;
  uint32_t released = 0; // threads
  for (Warp &warp : block.warps)
    for (Split &split : warp.splits)
      if (split.state == SplitState::AtBarrier && split.waitFor == number) {
        split.state = SplitState::Ready;
        released += static_cast<uint32_t>(std::popcount(split.mask));
        if (view) {
          checks->order.passedByAll(warp, *view);
          const View &ended = checks->order.endedOf(block.clusterRank);
          if (barrier.expected == 0 && !ended.seen.empty())
            checks->order.passedByAll(warp, ended);
        }
        warp.time = std::max(warp.time, barrier.time + cost::kBarrier);
        warp.runnable = true;
        const Instr &from = program.code[split.pc - 1];
        switch (from.sub & kBarKind) {
        case kBarRedAnd: commitPredicate(warp, from.d, barrier.reduceAnd ? kAllLanes : 0, split.mask); break;
        case kBarRedOr: commitPredicate(warp, from.d, barrier.reduceOr ? kAllLanes : 0, split.mask); break;
        case kBarRedPopc: {
          alignas(32) uint32_t out[kLanes];
          std::fill_n(out, kLanes, barrier.reduceCount);
          commit(warp, from.d, out, split.mask);
          break;
        }
        default: break;
        }
      }
  if (checks) {
    if (inCommon)
      checks->order.meetInCommon(block, number);
    const bool all = released == block.grid->block[0] * block.grid->block[1] * block.grid->block[2];
    if (all)
      checks->allMet(inCommon ? checks->order.commonOf(block.clusterRank) : *view);
    if (view) {
      if (all)
        checks->order.passedByBlock(block, number);
      checks->order.clearNamed(block.clusterRank, number);
    }
    checks->phases.releasedNamed(block.clusterRank, number);
  }
  uint64_t phase = barrier.phase + 1;
  barrier = NamedBarrier{};
  barrier.phase = phase;
  ++block.effects;
}

uint32_t threadsAwaited(const Block &block, bool aligned) {
  if (aligned)
    return block.liveWarps * 32;
  uint32_t threads = 0;
  for (const Warp &warp : block.warps)
    threads += static_cast<uint32_t>(std::popcount(warp.live));
  return threads;
}

void barrierAfterExit(Block &block, uint64_t time) {
  for (uint32_t number = 0; number < kNamedBarriers; ++number) {
    NamedBarrier &barrier = block.barriers[number];
    if (barrier.open && barrier.expected == 0 && barrier.arrived >= block.liveWarps * 32) {
      barrier.time = std::max(barrier.time, time);
      releaseBarrier(block, number);
    }
  }
}

} // namespace lanescope::core::emulator
