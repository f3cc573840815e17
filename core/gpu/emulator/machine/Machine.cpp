#include "core/gpu/emulator/machine/Machine.h"

#include "core/gpu/emulator/check/Checks.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/schedule/Cluster.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kSlack = 48; // cycles a warp may run ahead of the others before they get their turn

uint32_t specialValue(const Block &block, const Warp &warp, Special kind, uint32_t lane) {
  const Grid &grid = *block.grid;
  uint32_t thread = warp.id * 32 + lane;
  switch (kind) {
  case Special::TidX: return thread % grid.block[0];
  case Special::TidY: return thread / grid.block[0] % grid.block[1];
  case Special::TidZ: return thread / grid.block[0] / grid.block[1];
  case Special::NtidX: return grid.block[0];
  case Special::NtidY: return grid.block[1];
  case Special::NtidZ: return grid.block[2];
  case Special::CtaidX: return block.id[0];
  case Special::CtaidY: return block.id[1];
  case Special::CtaidZ: return block.id[2];
  case Special::NctaidX: return grid.size[0];
  case Special::NctaidY: return grid.size[1];
  case Special::NctaidZ: return grid.size[2];
  case Special::ClusterX: return block.id[0] / grid.cluster[0];
  case Special::ClusterY: return block.id[1] / grid.cluster[1];
  case Special::ClusterZ: return block.id[2] / grid.cluster[2];
  case Special::NclusterX: return grid.size[0] / grid.cluster[0];
  case Special::NclusterY: return grid.size[1] / grid.cluster[1];
  case Special::NclusterZ: return grid.size[2] / grid.cluster[2];
  case Special::LaneId: return lane;
  case Special::WarpId: return warp.id;
  case Special::NwarpId: return static_cast<uint32_t>(block.warps.size());
  case Special::SmId: return block.sm;
  case Special::NsmId: return cost::kSms;
  case Special::LanemaskEq: return 1u << lane;
  case Special::LanemaskLt: return (1u << lane) - 1;
  case Special::LanemaskLe: return lane == 31 ? kAllLanes : (2u << lane) - 1;
  case Special::LanemaskGt: return lane == 31 ? 0 : kAllLanes << (lane + 1);
  case Special::LanemaskGe: return kAllLanes << lane;
  case Special::ClusterRank: return block.clusterRank;
  case Special::ClusterSize: return grid.cluster[0] * grid.cluster[1] * grid.cluster[2];
  case Special::ClusterCtaX: return block.id[0] % grid.cluster[0];
  case Special::ClusterCtaY: return block.id[1] % grid.cluster[1];
  case Special::ClusterCtaZ: return block.id[2] % grid.cluster[2];
  case Special::ClusterNctaX: return grid.cluster[0];
  case Special::ClusterNctaY: return grid.cluster[1];
  case Special::ClusterNctaZ: return grid.cluster[2];
  case Special::DynamicSmemSize: return grid.dynamicSmem;
  case Special::TotalSmemSize: return static_cast<uint32_t>(block.shared.size());
  default: return 0;
  }
}

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

/// A child of `parent` is gone or has merged: the parent goes on when it was the last.
void childDone(Warp &warp, int32_t parent) {
  while (parent >= 0) {
    Split &up = warp.splits[static_cast<size_t>(parent)];
    if (--up.children > 0)
      return;
    if (up.arrived) {
      up.mask = up.arrived;
      up.arrived = 0;
      up.state = SplitState::Ready;
      return;
    }
    up.state = SplitState::Free;
    parent = up.parent;
  }
}

uint32_t newSplit(Warp &warp) {
  for (uint32_t n = 0; n < warp.splits.size(); ++n)
    if (warp.splits[n].state == SplitState::Free) {
      warp.splits[n] = Split{};
      return n;
    }
  warp.splits.push_back({});
  return static_cast<uint32_t>(warp.splits.size() - 1);
}

} // namespace

Span Grid::spanOf(const Instr &instr) const {
  const std::vector<Instruction> &all = program->function->instructions;
  const Instruction &from = all[instr.source];
  // Code that belongs to no line (line 0: LLVM has moved it) is told at the line that runs before it, or else at the
  // next one.
  auto lineOf = [&](const Instruction &of) {
    const SourceLoc *loc = of.loc ? &program->module.locs[of.loc] : nullptr;
    return loc && loc->file == 1 && loc->line > 0 ? loc : nullptr;
  };
  auto begins = [&](size_t n) { // a stretch of code that runs in a row
    return n == 0 || all[n - 1].opcode.starts_with("bra") || all[n - 1].opcode == "ret" ||
           std::ranges::any_of(program->function->labels, [n](const Label &label) { return label.instruction == n; });
  };
  const SourceLoc *loc = snippet ? lineOf(from) : nullptr;
  size_t n = instr.source;
  while (snippet && !loc && !begins(n))
    loc = lineOf(all[--n]);
  for (n = instr.source; snippet && !loc && n < all.size(); ++n)
    loc = lineOf(all[n]);
  if (loc)
    return spanAt(snippet, loc->line, loc->column);
  return {program->module.source, from.begin, std::max(from.end, from.begin + 1)};
}

std::string Grid::lineOf(const Instr &instr) const {
  Span span = spanOf(instr);
  return text(span.source->name(), ":", span.source->lineColumn(span.begin).line);
}

std::string_view Grid::opcodeOf(const Instr &instr) const {
  return program->function->instructions[instr.source].opcode;
}

std::string_view Grid::noteOf(const Instr &instr) const {
  constexpr std::string_view kMark = "// lanescope: ";
  std::string_view rest = program->module.source->text();
  rest.remove_prefix(std::min<size_t>(program->function->instructions[instr.source].end, rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(" ;"), rest.size()));
  return rest.starts_with(kMark) ? rest.substr(kMark.size(), rest.find('\n') - kMark.size()) : std::string_view();
}

std::string Block::name() const { return text("block (", id[0], ", ", id[1], ", ", id[2], ")"); }

void Block::begin(Cluster &theCluster, uint32_t rank, std::array<uint32_t, 3> theId, uint32_t theSm,
                  uint64_t theStart) {
  cluster = &theCluster;
  clusterRank = rank;
  grid = theCluster.grid;
  const Program &program = *grid->program;
  id = theId;
  linear = id[0] + grid->size[0] * (id[1] + grid->size[1] * id[2]);
  sm = theSm;
  start = theStart;
  shared.assign(program.dynamicBase + grid->dynamicSmem, std::byte{0});
  uint32_t threads = grid->block[0] * grid->block[1] * grid->block[2];
  uint32_t warpCount = (threads + 31) / 32;
  size_t file = program.registerImage.size();
  registers.resize(file * warpCount + 64);
  auto *aligned = reinterpret_cast<std::byte *>((reinterpret_cast<uintptr_t>(registers.data()) + 63) / 64 * 64);
  barriers = {};
  mbarriers = {};
  async = {};
  landing.clear();
  printed.clear();
  fault.reset();
  warnings.clear();
  executed = effects = 0;
  liveWarps = warpCount;
  freeRegisters = 0;
  warps.resize(warpCount);
  for (uint32_t w = 0; w < warpCount; ++w) {
    Warp &warp = warps[w];
    warp.block = this;
    warp.id = w;
    warp.regs = aligned + file * w;
    std::copy(program.registerImage.begin(), program.registerImage.end(),
              warp.regs); // none: a program without registers
    warp.time = start + w;
    warp.loadsReady = 0;
    uint32_t left = threads - w * 32;
    warp.ownRegisters = program.launchRegisters;
    warp.live = left >= 32 ? kAllLanes : (1u << left) - 1;
    warp.current = 0;
    warp.runnable = true;
    for (LaneGroups &lane : warp.groups)
      lane.reset();
    warp.wgmma = {};
    warp.held.clear();
    warp.clusterArrived = warp.clusterPending = 0;
    warp.local.assign(static_cast<size_t>(program.localBytes) * 32, std::byte{0});
    warp.splits.assign(1, Split{});
    warp.splits[0].state = SplitState::Ready;
    warp.splits[0].mask = warp.live;
    for (const SpecialSlot &special : program.specials)
      if (special.kind == Special::IsExplicitCluster)
        warp.predicate(special.slot) = grid->explicitCluster ? kAllLanes : 0;
      else
        for (uint32_t lane = 0; lane < 32; ++lane)
          warp.reg<uint32_t>(special.slot)[lane] = specialValue(*this, warp, special.kind, lane);
  }
}

uint64_t Block::endTime() const {
  uint64_t end = start;
  for (const Warp &warp : warps)
    end = std::max(end, warp.time);
  return end;
}

void mergeSplit(Warp &warp) {
  // The current split stands at its rpc: hand its lanes to the parent that waits there.
  Split &split = warp.split();
  int32_t parent = split.parent;
  warp.splits[static_cast<size_t>(parent)].arrived |= split.mask;
  split.state = SplitState::Free;
  childDone(warp, parent);
}

Step exitLanes(Warp &warp, uint32_t mask) {
  Block &block = *warp.block;
  Split &split = warp.split();
  warp.live &= ~mask;
  split.mask &= ~mask;
  ++block.effects;
  if (split.mask) {
    ++split.pc;
    block.cluster->releaseIfComplete();
    return Step::Jump;
  }
  split.state = SplitState::Free;
  int32_t parent = split.parent;
  childDone(warp, parent);
  if (warp.live == 0) {
    --block.liveWarps;
    barrierAfterExit(block, warp.time);
    if (warp.ownRegisters)
      giveRegisters(warp, 0);
  }
  block.cluster->releaseIfComplete();
  return Step::Gone;
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
    // A loop's exit or a nested branch with the same meeting point: siblings, not another level.
    int32_t parent = split->parent;
    if (i.target == meet || fall == meet) {
      uint32_t leaving = i.target == meet ? taken : rest;
      warp.splits[static_cast<size_t>(parent)].arrived |= leaving;
      split->mask &= ~leaving;
      split->pc = i.target == meet ? fall : i.target;
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
  child(i.target, taken);
  child(fall, rest);
  if (warp.splits[static_cast<size_t>(self)].children == 0) { // both sides are the meeting point
    Split &whole = warp.splits[static_cast<size_t>(self)];
    whole.mask = whole.arrived;
    whole.state = SplitState::Ready;
    warp.current = static_cast<uint32_t>(self);
  }
  return Step::Jump;
}

uint64_t addressIn(Warp &warp, const AddressRef &ref, uint32_t lane) {
  if (ref.slot == kNone)
    return ref.offset;
  if (ref.wide)
    return warp.reg<uint64_t>(ref.slot)[lane] + ref.offset;
  return static_cast<uint32_t>(warp.reg<uint32_t>(ref.slot)[lane] + static_cast<uint32_t>(ref.offset));
}

Step fault(Warp &warp, const Instr &instr, std::string kind, std::string message, uint32_t lane,
           std::vector<Note> notes) {
  Block &block = *warp.block;
  if (block.fault)
    return Step::Fault;
  std::string who = text(block.name(), ", warp ", warp.id);
  if (lane != kNone)
    who += text(", lane ", lane, " (thread ", warp.id * 32 + lane, ")");
  notes.insert(notes.begin(), Note{Span{block.grid->program->module.source,
                                        block.grid->program->function->instructions[instr.source].begin,
                                        block.grid->program->function->instructions[instr.source].end},
                                   text("in ", who, ", at this instruction of the PTX")});
  block.fault =
      Diagnostic{Severity::Error, std::move(kind), block.grid->spanOf(instr), std::move(message), std::move(notes)};
  return Step::Fault;
}

void wakeMbarrierWaiters(Block &block, uint32_t address, uint64_t time) {
  ++block.effects;
  for (Warp &warp : block.warps)
    for (Split &split : warp.splits)
      if (split.state == SplitState::AtMbarrier && split.waitFor == address) {
        split.state = SplitState::Ready;
        if (block.grid->flights)
          block.grid->flights->woken(warp, FlightRecorder::Wait::Mbarrier, time + cost::kWake);
        warp.time = std::max(warp.time, time + cost::kWake);
        warp.runnable = true;
      }
}

void wakeGroupWaiters(Warp &warp, uint64_t time) {
  ++warp.block->effects;
  for (Split &split : warp.splits)
    if (split.state == SplitState::AtGroup) {
      split.state = SplitState::Ready;
      if (FlightRecorder *flights = warp.block->grid->flights)
        flights->woken(warp, split.waitFor >= kWgmmaWait ? FlightRecorder::Wait::Wgmma : FlightRecorder::Wait::Group,
                       time + cost::kWake);
      warp.time = std::max(warp.time, time + cost::kWake);
      warp.runnable = true;
    }
}

uint64_t Block::nextTime() const {
  uint64_t time = liveWarps ? async.nextTime() : 0; // a block that has ended has to say so
  for (const Warp &warp : warps)
    if (warp.runnable && warp.live)
      time = std::min(time, warp.time);
  return time;
}

RunState Block::run(uint64_t budget, uint64_t until) {
  const Instr *code = grid->program->code.data();
  uint64_t limitExecuted = executed + budget;
  while (liveWarps > 0) {
    // The earliest runnable warp, and when the next one wants its turn.
    Warp *next = nullptr;
    uint64_t second = UINT64_MAX;
    for (Warp &warp : warps) {
      if (!warp.runnable || warp.live == 0)
        continue;
      if (!next || warp.time < next->time) {
        second = next ? next->time : second;
        next = &warp;
      } else {
        second = std::min(second, warp.time);
      }
    }
    uint64_t event = std::min(next ? next->time : UINT64_MAX, async.nextTime());
    if (event == UINT64_MAX)
      return RunState::Waiting;
    if (event > until)
      return RunState::Running;
    if (async.nextTime() <= event) { // it may wake a warp that comes before the others
      if (!completeDue(*this, event))
        return RunState::Faulted;
      continue;
    }
    Warp &warp = *next;
    if (executed >= limitExecuted)
      return RunState::Running;
    uint64_t limit = std::min({second == UINT64_MAX ? UINT64_MAX : second + kSlack, async.nextTime(), until});
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
      if (i.waitsForLoads && warp.loadsReady > warp.time)
        warp.time = warp.loadsReady;
      warp.time += i.cost;
      ++count;
      if (i.tracked && checks && mask && !checks->registers(warp, i)) [[unlikely]]
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
      case Step::Fault: executed += count; return RunState::Faulted;
      }
      if (warp.time > limit || (count & 4095) == 4095) {
        running = false;
        if (warp.splits.size() > 1 && count >= 4095)
          warp.current = (warp.current + 1) % static_cast<uint32_t>(warp.splits.size());
      }
    }
    executed += count;
  }
  // What is still in flight finishes, but a copy that has yet to read shared memory reads what is no longer there.
  if (!reportUnfinished(*this))
    return RunState::Faulted;
  return finishAsync(*this) ? RunState::Finished : RunState::Faulted;
}

} // namespace lanescope::core::emulator
