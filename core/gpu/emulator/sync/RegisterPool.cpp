#include "core/gpu/emulator/sync/RegisterPool.h"

#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <span>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kWarpsOfGroup = 4, kLanesOfWarp = 32;
constexpr std::string_view kKind = "register-pool", kPartialKind = "partial-setmaxnreg";

std::span<Warp> warpgroupOf(const Warp &warp) {
  Block &block = *warp.block;
  size_t first = warp.id / kWarpsOfGroup * kWarpsOfGroup;
  return {block.warps.data() + first, std::min<size_t>(kWarpsOfGroup, block.warps.size() - first)};
}

uint32_t lacking(std::span<const Warp> group, uint32_t count) {
  uint32_t needed = 0;
  for (const Warp &one : group)
    needed += one.live && one.ownRegisters < count ? count - one.ownRegisters : 0;
  return needed;
}

/// The number of registers that the warp waits for; 0 if it does not wait.
uint32_t asked(const Warp &warp) {
  for (const Split &split : warp.splits)
    if (split.state == SplitState::AtRegisters)
      return split.waitFor;
  return 0;
}

/// The lowest register count per thread in any `setmaxnreg.dec` of the program.
uint32_t leastKept(const Program &program) {
  uint64_t least = UINT32_MAX;
  for (const Instr &i : program.code)
    if (i.run == &giveRegisters)
      least = std::min(least, i.imm);
  return static_cast<uint32_t>(least);
}

/// The number of free registers, plus those that running warps may still give back.
uint32_t freeAtMost(const Block &block) {
  uint32_t kept = leastKept(*block.grid->program), out = block.freeRegisters;
  for (const Warp &warp : block.warps)
    if (warp.live && !asked(warp) && warp.ownRegisters > kept)
      out += warp.ownRegisters - kept;
  return out;
}

/// Faults and returns false if no waiting warpgroup can ever get the registers that it requests.
bool canBeServed(Block &block) {
  const Warp *first = nullptr;
  uint32_t most = freeAtMost(block);
  for (const Warp &warp : block.warps) {
    uint32_t count = asked(warp);
    if (count && lacking(warpgroupOf(warp), count) <= most)
      return true;
    first = count && !first ? &warp : first;
  }
  if (!first)
    return true;
  const Program &program = *block.grid->program;
  Warp &warp = block.warps[first->id];
  auto waits = std::ranges::find(warp.splits, SplitState::AtRegisters, &Split::state);
  const Instr &i = program.code[waits->pc];
  uint32_t count = waits->waitFor, launched = program.launchRegisters;
  auto all = static_cast<uint32_t>(block.warps.size()) * launched;
  std::vector<Note> notes{Note{block.grid->spanOf(i),
                               text("the block has ", all * kLanesOfWarp, " registers, ", launched, " for each of its ",
                                    block.warps.size() * kLanesOfWarp,
                                    " threads; a `setmaxnreg.dec` of another warpgroup has to give back the registers "
                                    "that a `setmaxnreg.inc` takes, and a warp that ends gives none back")}};
  uint32_t missing = lacking(warpgroupOf(warp), count);
  notes.push_back({block.grid->spanOf(i),
                   text("what all warpgroups keep may not exceed ", launched, " registers a thread on average")});
  fault(warp, i, std::string(kKind),
        Message("`{}` can never be served: warpgroup {} asks for {} more registers ({count} a thread), and the others "
                "have left {}{}",
                block.grid->opcodeOf(i), warp.id / kWarpsOfGroup, missing * kLanesOfWarp, count,
                block.freeRegisters * kLanesOfWarp,
                most > block.freeRegisters
                    ? text(" and can give back ", (most - block.freeRegisters) * kLanesOfWarp, " more at most")
                    : text(" and give no more back")),
        kNone, std::move(notes));
  return false;
}

void wakeAskers(Block &block, uint64_t time) {
  for (Warp &other : block.warps)
    for (Split &split : other.splits)
      if (split.state == SplitState::AtRegisters) { // the warp makes its request again
        split.state = SplitState::Ready;
        other.time = std::max(other.time, time);
        other.runnable = true;
      }
}

bool isAlike(const Instr &one, const Instr &other) { return one.run == other.run && one.imm == other.imm; }

constexpr std::string_view kRule =
    "all warps of a warpgroup have to execute the same `setmaxnreg` (PTX ISA, `setmaxnreg`)";

/// A warp executes a step, and another warp of its warpgroup has ended without executing it. If the step gives
/// registers back, the hardware takes back only this warp's registers. This is a hazard. Otherwise it is a fault.
/// Returns false after a fault, and for a hazard in a strict run.
bool reportPartial(Warp &warp, const Instr &i, std::string message) {
  if (i.run != &giveRegisters) {
    fault(warp, i, std::string(kKind), std::move(message));
    return false;
  }
  return !isNews(*warp.block, kPartialKind, warp.block->grid->pcOf(i)) ||
         hazard(warp, i, std::string(kPartialKind), std::move(message));
}

/// The warp has executed one more step. Returns false after a fault.
bool countStep(Warp &warp, const Instr &i) {
  ++warp.registerSteps;
  warp.registerStep = &i;
  const Grid &grid = *warp.block->grid;
  for (const Warp &other : warpgroupOf(warp)) {
    if (!other.live && other.registerSteps < warp.registerSteps &&
        !reportPartial(warp, i,
                       text("`", grid.opcodeOf(i), "` is executed by warp ", warp.id, ", and warp ", other.id,
                            " of its warpgroup has ended without it: ", kRule)))
      return false;
    if (other.registerSteps == warp.registerSteps && !isAlike(*other.registerStep, i)) {
      fault(warp, i, std::string(kKind),
            Message("warp {} executes `{}` with {}, and warp {} of its warpgroup executes another one: {}", warp.id,
                    grid.opcodeOf(i), i.imm, other.id, kRule),
            kNone, {Note{grid.spanOf(*other.registerStep), text("warp ", other.id, " executes this one")}});
      return false;
    }
  }
  return true;
}

} // namespace

/// Gives registers to a warpgroup as a whole. Otherwise two warpgroups that request registers at once could get half of
/// them each.
Step takeRegisters(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  auto count = static_cast<uint32_t>(i.imm);
  Block &block = *warp.block;
  if (warp.ownRegisters == 0)
    return Step::Next;
  if (warp.ownRegisters < count) {
    std::span<Warp> group = warpgroupOf(warp);
    uint32_t needed = lacking(group, count);
    if (needed > block.freeRegisters) {
      warp.split().state = SplitState::AtRegisters;
      warp.split().waitFor = count;
      return canBeServed(block) ? Step::Blocked : Step::Fault;
    }
    block.freeRegisters -= needed;
    for (Warp &one : group)
      one.ownRegisters = std::max(one.ownRegisters, one.live ? count : 0);
  }
  return countStep(warp, i) ? Step::Next : Step::Fault;
}

Step giveRegisters(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  if (warp.ownRegisters == 0)
    return Step::Next;
  if (warp.ownRegisters > i.imm) {
    Block &block = *warp.block;
    block.freeRegisters += warp.ownRegisters - static_cast<uint32_t>(i.imm);
    warp.ownRegisters = static_cast<uint32_t>(i.imm);
    ++block.effects;
    wakeAskers(block, warp.time);
  }
  return countStep(warp, i) ? Step::Next : Step::Fault;
}

bool registersAfterExit(Warp &warp) {
  if (warp.ownRegisters == 0)
    return true;
  const Grid &grid = *warp.block->grid;
  for (Warp &other : warpgroupOf(warp))
    if (other.registerSteps > warp.registerSteps &&
        !reportPartial(other, *other.registerStep,
                       text("`", grid.opcodeOf(*other.registerStep), "` is executed by warp ", other.id, ", and warp ",
                            warp.id, " of its warpgroup ends without it: ", kRule)))
      return false;
  return canBeServed(*warp.block);
}

} // namespace lanescope::core::emulator
