#include "core/gpu/emulator/sync/Divergence.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/sync/ClusterBarrier.h"
#include "core/gpu/emulator/sync/LaneMeeting.h"
#include "core/gpu/emulator/sync/NamedBarriers.h"
#include "core/gpu/emulator/sync/RegisterPool.h"
#include "core/gpu/emulator/sync/WarpSync.h"

#include <algorithm>
#include <utility>

namespace lanescope::core::emulator {

namespace {

/// A child of `parent` has ended or merged. After its last child, the parent goes on.
void childDone(Warp &warp, int32_t parent) {
  while (parent >= 0) {
    Split &up = warp.splits[static_cast<size_t>(parent)];
    if (--up.children > 0)
      return;
    if (up.frame >= 0) { // all lanes have returned from the function, or exited
      warp.frames[static_cast<size_t>(up.frame)].used = false;
      up.frame = -1;
    }
    if (up.arrived) {
      up.mask = up.arrived;
      up.arrived = 0;
      up.open = false;
      up.state = SplitState::Ready;
      if (warp.block->checks)
        warp.block->checks->order.lanesMet(warp, up.mask);
      return;
    }
    up.state = SplitState::Free;
    parent = up.parent;
  }
}

} // namespace

uint32_t newSplit(Warp &warp) {
  for (uint32_t n = 0; n < warp.splits.size(); ++n)
    if (warp.splits[n].state == SplitState::Free) {
      warp.splits[n] = Split{};
      return n;
    }
  warp.splits.push_back({});
  return static_cast<uint32_t>(warp.splits.size() - 1);
}

Step leaveSplit(Warp &warp, uint32_t mask) {
  Split &split = warp.split();
  split.mask &= ~mask;
  if (split.mask) {
    ++split.pc;
    return Step::Jump;
  }
  split.state = SplitState::Free;
  childDone(warp, split.parent);
  return Step::Gone;
}

namespace {

/// Makes a split of the lanes in `mask` that goes on where `up` would go on.
void goOnApart(Warp &warp, const Split &up, Split &split, uint32_t mask) {
  split.state = SplitState::Ready;
  split.pc = up.pc;
  split.rpc = up.rpc;
  split.mask = mask;
  split.parent = up.parent;
  if (up.parent >= 0)
    ++warp.splits[static_cast<size_t>(up.parent)].children;
}

/// Wakes the splits that wait for lanes of their warp. They check again if the lanes have come.
void wakeLaneWaiters(Warp &warp) {
  for (Split &split : warp.splits)
    if (split.state == SplitState::AtLanes) {
      split.state = SplitState::Ready;
      warp.runnable = true;
    }
}

/// The lanes in `mask`, which belong to no split, have reached the place where the split `up` waits.
void arriveAt(Warp &warp, int32_t up, uint32_t mask) {
  auto number = static_cast<size_t>(up);
  if (!warp.splits[number].open) {
    warp.splits[number].arrived |= mask;
    if (!warp.apart) // these lanes will not come to the instruction where other splits wait
      wakeLaneWaiters(warp);
    return;
  }
  uint32_t fresh = newSplit(warp);
  goOnApart(warp, warp.splits[number], warp.splits[fresh], mask);
}

} // namespace

void mergeSplit(Warp &warp) {
  Split &split = warp.split();
  int32_t parent = split.parent;
  const Split &up = warp.splits[static_cast<size_t>(parent)];
  if (up.open) {
    goOnApart(warp, up, split, split.mask);
  } else {
    warp.splits[static_cast<size_t>(parent)].arrived |= split.mask;
    split.state = SplitState::Free;
    if (!warp.apart) // these lanes will not come to the instruction where other splits wait
      wakeLaneWaiters(warp);
  }
  childDone(warp, parent);
}

bool holdsLanes(const Warp &warp) {
  return std::ranges::any_of(warp.splits, [](const Split &split) {
    return split.state == SplitState::Merging && split.arrived && split.frame < 0;
  });
}

bool letLanesGo(Warp &warp) {
  bool any = false;
  for (size_t n = 0, count = warp.splits.size(); n < count; ++n) {
    if (warp.splits[n].state != SplitState::Merging || !warp.splits[n].arrived || warp.splits[n].frame >= 0)
      continue;
    warp.splits[n].open = true;
    arriveAt(warp, static_cast<int32_t>(n), std::exchange(warp.splits[n].arrived, 0));
    any = true;
  }
  if (any) {
    warp.apart = warp.runnable = true;
    ++warp.block->effects;
  }
  return any;
}

/// The split that waits for the return of the function that `split` executes; -1 if there is none.
static int32_t callOf(const Warp &warp, const Split &split) {
  int32_t up = split.parent;
  while (up >= 0 && warp.splits[static_cast<size_t>(up)].frame < 0)
    up = warp.splits[static_cast<size_t>(up)].parent;
  return up;
}

bool awaitLanes(Warp &warp) {
  Block &block = *warp.block;
  if (!block.fault || block.fault->kind != kDivergentKind)
    return false;
  Split &split = warp.split();
  int32_t call = callOf(warp, split);
  bool here = false, elsewhere = false; // `here`: lanes wait at this instruction; `elsewhere`: lanes may still come
  uint32_t round = 0;                   // lanes that wait at a later meeting point for this split
  uint32_t leaving = 0; // those lanes of `round` that end at that point, and that no instruction waits for
  for (size_t n = 0; n < warp.splits.size(); ++n) {
    Split &other = warp.splits[n];
    if (n == warp.current || other.state == SplitState::Free)
      continue;
    if (other.state != SplitState::AtLanes) {
      elsewhere = elsewhere || other.state != SplitState::Merging;
      uint32_t arrived = other.state == SplitState::Merging && other.frame < 0 ? other.arrived : 0;
      round |= arrived;
      leaving |= block.grid->program->code[other.pc].ends ? arrived : 0;
    } else if (other.pc == split.pc && callOf(warp, other) == call) {
      split.mask |= other.mask;
      other.state = SplitState::Free;
      childDone(warp, other.parent);
      if (block.checks)
        block.checks->order.lanesMet(warp, split.mask);
      here = true;
    }
  }
  if (!here) {
    std::optional<Diagnostic> missing = std::exchange(block.fault, std::nullopt);
    Meeting met = meetElsewhere(warp);
    if (met != Meeting::None)
      return met == Meeting::Done;
    block.fault = std::move(missing);
  }
  if (!here && !elsewhere) {
    // No other lane can come. If this is a barrier, lanes that have gone round it may end, and the barrier then no
    // longer waits for them. They may also come to another instruction with the same member mask.
    std::string_view opcode = block.grid->opcodeOf(block.grid->program->code[split.pc]);
    if (!round || !(opcode.starts_with("bar") || waitsForMembers(opcode)))
      return false;
    split.desertedBy |= opcode.starts_with("bar") && !waitsForMembers(opcode) ? round : round & ~leaving;
  }
  split.state = here ? SplitState::Ready : SplitState::AtLanes;
  block.fault.reset();
  return true;
}

Step exitLanes(Warp &warp, uint32_t mask) {
  Block &block = *warp.block;
  Split &split = warp.split();
  const Instr &end = block.grid->program->code[split.pc];
  warp.live &= ~mask;
  split.mask &= ~mask;
  ++block.effects;
  if (split.mask) {
    ++split.pc;
    releaseIfComplete(*block.cluster);
    return Step::Jump;
  }
  split.state = SplitState::Free;
  int32_t parent = split.parent;
  childDone(warp, parent);
  wakeLaneWaiters(warp);
  if (warp.live == 0) {
    --block.liveWarps;
    if (block.checks) {
      block.checks->order.ended(warp);
      if (block.liveWarps == 0 && !block.checks->remote.ended(warp, end))
        return Step::Fault;
    }
    barrierAfterExit(block, warp.time);
    if (!registersAfterExit(warp))
      return Step::Fault;
  }
  releaseIfComplete(*block.cluster);
  return Step::Gone;
}

namespace {

/// Makes one split for each side of the current split. The current split waits where the sides meet.
Step openSides(Warp &warp, uint32_t place, uint32_t ones, uint32_t otherPlace, uint32_t others, uint32_t meet) {
  Split *split = &warp.split();
  auto self = static_cast<int32_t>(warp.current);
  split->state = SplitState::Merging;
  split->arrived = 0;
  split->children = 0;
  split->pc = meet == kNone ? split->pc : meet;
  auto child = [&](uint32_t pc, uint32_t mask) {
    if (pc == meet) {
      warp.splits[static_cast<size_t>(self)].arrived |= mask;
      return;
    }
    uint32_t n = newSplit(warp);
    Split &side = warp.splits[n];
    side.state = SplitState::Ready;
    side.pc = pc;
    side.rpc = meet;
    side.mask = mask;
    side.parent = self;
    warp.splits[static_cast<size_t>(self)].children++;
    warp.current = n;
  };
  child(place, ones);
  child(otherPlace, others);
  if (warp.splits[static_cast<size_t>(self)].children == 0) { // both sides are at the meeting point
    Split &whole = warp.splits[static_cast<size_t>(self)];
    whole.mask = whole.arrived;
    whole.state = SplitState::Ready;
    warp.current = static_cast<uint32_t>(self);
  }
  return Step::Jump;
}

} // namespace

Step partLanes(Warp &warp, const Instr &i, uint32_t ones) {
  return openSides(warp, i.target, ones, i.target, warp.split().mask & ~ones, i.reconverge);
}

Step branchLanes(Warp &warp, const Instr &i, uint32_t taken) {
  Split *split = &warp.split();
  uint32_t rest = split->mask & ~taken;
  if (rest == 0) {
    split->pc = i.target;
    return Step::Jump;
  }
  if (taken == 0)
    return Step::Next;
  uint32_t fall = split->pc + 1;
  uint32_t meet = i.reconverge;
  if (meet == split->rpc && split->parent >= 0) {
    // For a loop's exit, or a nested branch with the same meeting point, makes siblings and not another level of
    // splits.
    int32_t parent = split->parent;
    if (i.target == meet || fall == meet) {
      uint32_t leaving = i.target == meet ? taken : rest;
      split->mask &= ~leaving;
      split->pc = i.target == meet ? fall : i.target;
      arriveAt(warp, parent, leaving);
      return Step::Jump;
    }
    uint32_t other = newSplit(warp);
    split = &warp.split();
    warp.splits[static_cast<size_t>(parent)].children++;
    Split &sibling = warp.splits[other];
    sibling.state = SplitState::Ready;
    sibling.pc = i.target;
    sibling.rpc = meet;
    sibling.mask = taken;
    sibling.parent = parent;
    split->mask = rest;
    split->pc = fall;
    return Step::Jump;
  }
  return openSides(warp, i.target, taken, fall, rest, meet);
}

} // namespace lanescope::core::emulator
