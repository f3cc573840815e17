#include "core/gpu/emulator/schedule/Deadlock.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/LanguageWords.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/sync/TmemPool.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace lanescope::core::emulator {

namespace {

struct Waiters {
  const Block *block = nullptr;
  const Instr *instr = nullptr;
  SplitState state = SplitState::Ready;
  uint32_t waitFor = 0;
  std::vector<uint32_t> warps;
};

/// Groups the splits that wait at the same instruction for the same thing.
std::vector<Waiters> groupWaiters(const Block &block, bool readyToo) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Waiters> groups;
  const std::vector<Instr> &code = block.grid->program->code;
  for (const Warp &warp : block.warps)
    for (const Split &split : warp.splits) {
      if (split.state == SplitState::Free || split.state == SplitState::Merging ||
          (split.state == SplitState::Ready && !readyToo))
        continue;
      uint32_t pc = split.state == SplitState::AtBarrier ? split.pc - 1 : split.pc;
      pc = std::min<uint32_t>(pc, static_cast<uint32_t>(code.size() - 1));
      Waiters &group = groups[{pc, static_cast<uint32_t>(split.state), split.waitFor}];
      group.block = &block;
      group.instr = &code[pc];
      group.state = split.state;
      group.waitFor = split.waitFor;
      if (group.warps.empty() || group.warps.back() != warp.id)
        group.warps.push_back(warp.id);
    }
  std::vector<Waiters> out;
  for (auto &[key, group] : groups)
    out.push_back(std::move(group));
  return out;
}

std::string ofWarpgroups(const Block &block, const Mbarrier &barrier) {
  return countsWarpgroups(block, barrier)
             ? text(": ", barrier.expected / 128, " of a warpgroup or of a copy, each of which counts 128")
             : text();
}

/// The arrivals and bytes that a phase still waits for, or the bytes that arrived in excess of its `expect_tx`.
std::string missingOf(const Mbarrier &barrier) {
  if (barrier.tx >= 0)
    return text(barrier.pending, " of ", barrier.expected, " arrivals and ", barrier.tx, " bytes are missing");
  std::string more = text(-barrier.tx, " bytes more than expected arrived");
  return barrier.pending ? text(more, ", and ", barrier.pending, " of ", barrier.expected, " arrivals are missing")
                         : more;
}

std::string phasesBetween(uint64_t first, uint64_t end) {
  return end - first == 2 ? text("phases ", first, " and ", first + 1) : text("phases ", first, " to ", end - 1);
}

/// Some warps of the group may wait for a later phase of an mbarrier than they meant, because two or more phases ended
/// before they waited. If there are such warps, makes this the finding. Otherwise returns false.
bool tellOverrun(Diagnostic &deadlock, const Waiters &group, Checker &checks) {
  const Block &block = *group.block;
  const Phases::Overrun *overrun = nullptr;
  std::vector<uint32_t> late;
  for (uint32_t warp : group.warps)
    if (const Phases::Overrun *one = checks.phases.overrunOf(checks.order.numberOf(block.warps[warp]), group.waitFor)) {
      overrun = overrun ? overrun : one;
      late.push_back(warp);
    }
  if (!overrun)
    return false;
  const Grid &grid = *block.grid;
  deadlock.notes.insert(deadlock.notes.begin(), {deadlock.span, std::move(deadlock.message)});
  if (overrun->wanted >= 0) {
    const size_t number = checks.order.mbarrierNumber(block.clusterRank, group.waitFor);
    if (auto cause = checks.phases.early().causeOf(number, static_cast<uint64_t>(overrun->wanted), overrun->found)) {
      std::ranges::move(deadlock.notes, std::back_inserter(cause->notes));
      deadlock = *std::move(cause);
      return true;
    }
  }
  deadlock.kind = "phase-overrun";
  deadlock.span = grid.spanOf(grid.program->code[overrun->pc]);
  if (overrun->wanted < 0) {
    deadlock.message =
        text("phase 0 of ", describeMbarrier(block, group.waitFor), " was over before ", warpList(late),
             " came here, and now the wait for parity 1 is for phase 1: a wait for parity 1 passes at once while phase "
             "0 is open, so only a producer's first wait may have it");
    return true;
  }
  deadlock.message =
      text(phasesBetween(static_cast<uint64_t>(overrun->wanted), overrun->found + (overrun->passed ? 1 : 0)), " of ",
           describeMbarrier(block, group.waitFor), " were over before ", warpList(late), " waited here for phase ",
           overrun->wanted,
           overrun->passed ? text(", which took phase ", overrun->found, " for it")
                           : text(", and now the wait is for phase ", overrun->found),
           ": nothing makes phase ", overrun->wanted + 1, " wait for ", late.size() == 1 ? "this warp" : "these warps");
  if (overrun->completedBy != kNone) {
    const Instr &instr = grid.program->code[overrun->completedBy];
    deadlock.notes.insert(deadlock.notes.begin(), {grid.spanOf(instr), text("`", grid.opcodeOf(instr),
                                                                            "` here ended the last of these phases")});
  }
  return true;
}

/// If the group waits at a named barrier whose uses conflict, makes the conflict the finding. Otherwise returns false.
bool tellConflict(Diagnostic &deadlock, const Waiters &group, const Checker &checks) {
  const LateSuspect *suspect = checks.phases.suspectOfNamed(group.block->clusterRank, group.waitFor);
  if (!suspect)
    return false;
  std::vector<Note> notes = suspect->finding.notes;
  notes.push_back({deadlock.span, std::move(deadlock.message)});
  std::ranges::move(deadlock.notes, std::back_inserter(notes));
  deadlock = suspect->finding;
  deadlock.notes = std::move(notes);
  return true;
}

/// If the order of arrivals and waits shows the cause of the deadlock, makes the cause the finding.
void tellCause(Diagnostic &deadlock, const std::vector<Waiters> &groups) {
  for (const Waiters &group : groups) {
    Checker *checks = group.block->checks;
    if (checks && (group.state == SplitState::AtMbarrier  ? tellOverrun(deadlock, group, *checks)
                   : group.state == SplitState::AtBarrier ? tellConflict(deadlock, group, *checks)
                                                          : false))
      return;
  }
}

/// The mbarrier that the group waits for, if all of its arrivals have come and nothing brings the bytes that it misses;
/// null otherwise.
const Mbarrier *lacksBytes(const Waiters &group) {
  if (group.state != SplitState::AtMbarrier)
    return nullptr;
  const std::vector<Mbarrier> &all = group.block->mbarriers.all();
  auto barrier = std::ranges::find(all, group.waitFor, &Mbarrier::address);
  return barrier != all.end() && barrier->pending == 0 && barrier->tx > 0 ? &*barrier : nullptr;
}

std::string describeWait(const Waiters &group) {
  bool one = group.warps.size() == 1;
  if (group.state == SplitState::Ready)
    return warpList(group.warps) + (one ? " is here" : " are here");
  std::string what = awaited(*group.block, group.warps.front(), *group.instr, group.state, group.waitFor);
  return text(warpList(group.warps), one ? " waits here" : " wait here", what.empty() ? "" : " for ", what);
}

} // namespace

std::string awaited(const Block &block, uint32_t warp, const Instr &instr, SplitState state, uint32_t waitFor) {
  switch (state) {
  case SplitState::AtBarrier: {
    const NamedBarrier &barrier = block.barriers[waitFor];
    uint32_t expected = barrier.expected ? barrier.expected : block.liveWarps * 32;
    std::string_view name = block.grid->noteOf(instr);
    return text("barrier ", waitFor, name.empty() ? "" : " (", name, name.empty() ? "" : ")", ": ", barrier.arrived,
                " of ", expected, " threads have arrived");
  }
  case SplitState::AtMbarrier:
    for (const Mbarrier &barrier : block.mbarriers.all())
      if (barrier.address == waitFor)
        return text(describeMbarrier(block, barrier.address), ", phase ", barrier.phase, " (parity ", barrier.phase & 1,
                    "): ", missingOf(barrier));
    return {};
  case SplitState::AtGroup:
    if (waitFor >= kWgmmaWait)
      return text("a wgmma that warp ", warp / 4 * 4 + waitFor - kWgmmaWait, " of the warpgroup has not issued");
    return "a group of copies";
  case SplitState::AtCluster: return "the cluster's barrier, where others have not arrived";
  case SplitState::AtRegisters:
    return text(waitFor, " registers a thread: each has ", block.warps[warp].ownRegisters,
                ", and the other warps have left ", block.freeRegisters * 32, " of the block's free");
  case SplitState::AtTmem:
    if (waitFor & kPeerWait)
      return "the other block of the pair, which has to allocate tensor memory too";
    return text(waitFor, " columns of tensor memory: ", freeColumns(block),
                " are free; allocated: ", allocatedColumns(block));
  case SplitState::AtLanes: return "the other lanes of its warp";
  default: return {};
  }
}

void reportDeadlock(Cluster &cluster) {
  const Grid &grid = *cluster.grid;
  std::vector<Waiters> groups;
  Block *first = nullptr;
  size_t stuck = 0;
  for (const auto &block : cluster.blocks) {
    std::vector<Waiters> some = groupWaiters(*block, false);
    groups.insert(groups.end(), some.begin(), some.end());
    stuck += !some.empty();
    first = first || some.empty() ? first : block.get();
  }
  if (!first)
    first = cluster.blocks[0].get();
  Diagnostic diagnostic;
  diagnostic.kind = "deadlock";
  diagnostic.message = text("deadlock in ", first->name(), stuck > 1 ? " and others of its cluster" : "",
                            ": every warp that is left waits, and nothing is in flight");
  // The likelier causes come first. Warps at a block barrier wait for threads that wait for an mbarrier, and those wait
  // for threads that lack tensor memory or registers. If bytes are missing that nothing brings, all of these wait.
  auto unlikely = [](const Waiters &group) {
    bool lacks = group.state == SplitState::AtTmem || group.state == SplitState::AtRegisters;
    return lacks || lacksBytes(group) ? 0 : group.state == SplitState::AtMbarrier ? 1 : 2;
  };
  std::ranges::stable_sort(groups, {}, unlikely);
  if (!groups.empty())
    diagnostic.span = grid.spanOf(*groups.front().instr);
  std::string where;
  for (const Waiters &group : groups) {
    if (cluster.blocks.size() > 1)
      where = text("in ", group.block->name(), ", ");
    diagnostic.notes.push_back({grid.spanOf(*group.instr), where + describeWait(group)});
  }
  for (const Waiters &group : groups)
    if (const Mbarrier *barrier = lacksBytes(group))
      diagnostic.notes.push_back({grid.spanOf(*group.instr), text("the `expect_tx` of this phase says ", barrier->tx,
                                                                  " bytes more than its copies bring")});
  for (const auto &block : cluster.blocks)
    for (const Mbarrier &barrier : block->mbarriers.all())
      for (const Waiters &group : groups)
        if (group.block == block.get() && group.state == SplitState::AtMbarrier && group.waitFor == barrier.address) {
          if (barrier.tx < 0)
            diagnostic.notes.push_back(
                {grid.spanOf(*group.instr),
                 barrier.pending == barrier.expected
                     ? text("no `expect_tx` has announced these ", -barrier.tx,
                            " bytes: `mbarrier.arrive.expect_tx` "
                            "is missing, or came in another phase")
                     : text("the copies of this phase bring ", -barrier.tx, " bytes more than its `expect_tx` says")});
          diagnostic.notes.push_back({grid.spanOf(grid.program->code[barrier.initialised]),
                                      text(describeMbarrier(*block, barrier.address), " was initialised here, for ",
                                           barrier.expected, " arrivals", ofWarpgroups(*block, barrier))});
          break;
        }
  for (const Waiters &group : groups)
    if (group.state == SplitState::AtRegisters) {
      diagnostic.notes.push_back(
          {grid.spanOf(*group.instr),
           text("the block has ", grid.program->launchRegisters,
                " registers a thread from its launch; another warpgroup has to give some back, by ",
                inItsWords(grid, words::kRegistersBack))});
      break;
    }
  for (const Waiters &group : groups)
    if (group.state == SplitState::AtTmem)
      for (const TmemAllocation &allocation : group.block->tmem.allocations)
        if (!allocation.freed)
          diagnostic.notes.push_back(
              {grid.spanOf(*allocation.by), text(allocation.columns, " columns from ", allocation.first,
                                                 " on were allocated here, and have not been given back")});
  for (const auto &block : cluster.blocks) {
    // For each block in which warps wait, names the warps that have ended and can no longer arrive.
    std::vector<uint32_t> exited;
    for (const Warp &warp : block->warps)
      if (warp.live == 0)
        exited.push_back(warp.id);
    bool awaited = std::ranges::any_of(groups, [&](const Waiters &group) { return group.block == block.get(); });
    if (!exited.empty() && awaited)
      diagnostic.notes.push_back(
          {diagnostic.span,
           text(cluster.blocks.size() > 1 ? text("in ", block->name(), ", ") : text(), warpList(exited),
                exited.size() == 1 ? " has" : " have", " exited and cannot arrive any more")});
  }
  tellCause(diagnostic, groups);
  constexpr size_t kMostNotes = 24;
  if (diagnostic.notes.size() > kMostNotes)
    diagnostic.notes.resize(kMostNotes);
  first->fault = std::move(diagnostic);
}

std::vector<Note> whereWarpsAre(const Block &block, bool readyToo) {
  std::vector<Note> notes;
  for (const Waiters &group : groupWaiters(block, readyToo))
    notes.push_back({block.grid->spanOf(*group.instr), text("in ", block.name(), ", ", describeWait(group))});
  return notes;
}

} // namespace lanescope::core::emulator
