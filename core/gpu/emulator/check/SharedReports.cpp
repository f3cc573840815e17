// Reports of races in shared memory. A report says which warp or unit accesses which bytes, which one used them before,
// and which wait or fence is missing.
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/check/DiscardedValues.h"
#include "core/gpu/emulator/check/Guesses.h"
#include "core/gpu/emulator/check/LaneWords.h"
#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/check/SharedRaces.h"
#include "core/gpu/emulator/check/SharedReads.h"
#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lanescope::core::emulator {

static const char *verb(Access access) { return access == Access::Read ? "reads" : "writes"; }

/// True if any instruction reads a register that `i` writes.
static bool isUsed(const Program &program, const Instr &i) {
  std::vector<uint32_t> slots(program.lists.begin() + i.list, program.lists.begin() + i.list + i.listSize);
  slots.push_back(i.d);
  auto ours = [&](uint32_t slot) { return slot != kNone && std::ranges::find(slots, slot) != slots.end(); };
  return std::ranges::any_of(program.code, [&](const Instr &other) {
    if (ours(other.a) || ours(other.b) || ours(other.c) || ours(other.e) || ours(other.guard))
      return true;
    const uint32_t *list = program.lists.data() + other.list;
    return !other.load && std::any_of(list, list + other.listSize, ours);
  });
}

bool SharedRaces::report(const Clash &clash) {
  const auto &[warp, i, lane, address, access, other, otherWrites, byUnit, fenceOnly, lanes] = clash;
  const Grid &grid = order_.grid();
  AsyncUnit unit = order_.kindOf(other.agent);
  bool reads = access == Access::Read && !byUnit, afterRead = !otherWrites && unit == AsyncUnit::Warp;
  Use read = reads ? order_.useOf(warp, i) : other;
  bool guess = !fenceOnly && !byUnit && unit == AsyncUnit::Warp && isGuess(i, access, other, otherWrites);
  if (guess && !isNews(*warp.block, kVerifiedGuess, order_.pcOf(i), other.pc))
    return true;
  bool goesOn = !fenceOnly && !guess && (reads || afterRead) && addRacing(warp, read, kAllLanes);
  if (goesOn && !isNews(*warp.block, kDeadReadKind, read.pc, read.pc))
    return true;
  std::string_view opcode = grid.opcodeOf(i);
  std::string what = text("`", opcode, "` ", verb(access), " ", describeShared(*warp.block, address));
  std::vector<Note> notes{noteAt(order_, other, otherWrites)};
  if (fenceOnly) {
    bool copied = unit != AsyncUnit::Warp; // by cp.async, st.async or red.async
    notes.push_back({grid.spanOf(i), text("the missing fence: `fence.proxy.async` in ",
                                          copied ? "a thread that has waited for these data, after its wait"
                                                 : "the writing thread, after its write",
                                          " and before the barrier that orders the two")});
    constexpr std::string_view kGlobalFence = "fence.proxy.async.global";
    auto elsewhere =
        std::ranges::find(grid.program->code, kGlobalFence, [&](const Instr &instr) { return grid.opcodeOf(instr); });
    if (elsewhere != grid.program->code.end())
      notes.push_back({grid.spanOf(*elsewhere), text("`", kGlobalFence, "` orders accesses of global memory only")});
    std::string writer = copied ? text("`", grid.opcodeOf(grid.program->code[other.pc]),
                                       "`, which writes through the "
                                       "generic proxy,")
                                : warpName(order_, other.agent);
    fault(warp, i, "missing-proxy-fence",
          Message("{} through the async proxy, and the write of {} before it is not fenced: the old value may be read",
                  what, writer),
          lane, std::move(notes));
    return false;
  }
  bool filling = byUnit && access == Access::Write && unit == AsyncUnit::Warp;
  std::vector<Note> weak = weakNotes(order_, order_.viewOf(warp), other);
  bool isWeak = !weak.empty();
  notes.insert(notes.end(), weak.begin(), weak.end());
  if (!isWeak)
    notes.push_back(
        {grid.spanOf(i),
         filling ? text("no barrier between the two: either ", warpName(order_, other.agent % order_.warps()),
                        " has to wait for this copy, or the copy for ", warpName(order_, other.agent % order_.warps()))
                 : missingBefore(order_, warp, other)});
  std::string kind;
  if (unit == AsyncUnit::Warp) {
    kind = "race";
    what += text(", which ", warpName(order_, other.agent % order_.warps()), otherWrites ? " writes" : " reads",
                 " without an order between them", isWeak ? text(": ", whyWeak(order_, other)) : "");
    if (guess)
      return noteGuess(warp, i, lane, std::move(what), std::move(notes));
  } else if (otherWrites) {
    kind = "copy-not-awaited";
    what += text(", which a copy still fills", byUnit ? "" : " for this thread");
  } else {
    kind = "overwritten-in-flight";
    what += text(", which ",
                 unit == AsyncUnit::Wgmma    ? "a wgmma"
                 : unit == AsyncUnit::Tensor ? "the tensor core"
                                             : "a copy",
                 " still reads");
  }
  if (goesOn)
    return noteDeadRead(warp, i, lane, std::move(what), std::move(notes));
  warp.block->checks->phases.raced(warp, other);
  if (kind == "copy-not-awaited" && !byUnit &&
      warp.block->checks->phases.copyIsEarly(warp, other, access == Access::Read) &&
      !bringsUnexpected(*warp.block, order_.mbarrierOf(other.agent).address))
    return reportEarlyCopy(warp, i, address, access, other);
  fault(warp, i, std::move(kind), std::move(what), lane, std::move(notes));
  return false;
}

/// `copy` is a `cp.async` of one lane. The lane's wait, or its arrival at an mbarrier, does not reach this access.
bool SharedRaces::reportCopyLanes(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access,
                                  const Use &copy, LaneOrder lanes) {
  const Grid &grid = order_.grid();
  uint32_t owner = order_.ownerOf(copy.agent), me = order_.numberOf(warp);
  auto issuer = static_cast<uint32_t>(std::countr_zero(shadow_.lanes().lanesAt(copy.lanes, address)));
  std::string place =
      text("`", grid.opcodeOf(i), "` ", verb(access), " ", describeShared(*warp.block, address), ", which ");
  std::string by = text("lane ", issuer, " of ", owner == me ? "this warp" : warpName(order_, owner));
  std::vector<Note> notes{noteAt(order_, copy, true)};
  if (owner == me) {
    notes.push_back({grid.spanOf(i), "the missing barrier: `bar.warp.sync` (`__syncwarp()`) after the wait, for "
                                     "`cp.async.wait_group` waits only for the copies of the lane that executes it"});
    std::string what = text(place, by, " copies there and waits for, without an order after that wait");
    if (lanes == LaneOrder::InStep)
      return !isNews(*warp.block, kWarpSynchronousKind, order_.pcOf(i), copy.pc) ||
             hazard(warp, i, std::string(kWarpSynchronousKind),
                    what + "; the lanes of a warp mostly execute in step, but PTX does not promise it", lane,
                    std::move(notes));
    fault(warp, i, "race", std::move(what), lane, std::move(notes));
    return false;
  }
  LaneList known = order_.view(me).lanesOf(copy.agent);
  warp.block->checks->phases.raced(warp, copy);
  auto arrival = std::ranges::find_if(
      known, [&](const KnownLanes &one) { return one.lanes != kAllLanes && one.epoch >= copy.epoch; });
  const Instr &at = arrival != known.end() ? grid.program->code[arrival->pc] : i;
  notes.push_back({grid.spanOf(at),
                   "`cp.async.mbarrier.arrive` waits only for the copies of the lane that executes it: "
                   "each lane that copies has to arrive, and the mbarrier has to count it"});
  fault(warp, i, "copy-not-awaited", Message("{}a copy of {} still fills for this thread", place, by), lane,
        std::move(notes));
  return false;
}

bool SharedRaces::reportLanes(const Clash &clash) {
  const auto &[warp, i, lane, address, access, other, otherWrites, byUnit, fenceOnly, lanes] = clash;
  if (order_.kindOf(other.agent) == AsyncUnit::CpAsync)
    return reportCopyLanes(warp, i, lane, address, access, other, lanes);
  bool guess = isGuess(i, access, other, otherWrites);
  if (guess && !isNews(*warp.block, kVerifiedGuess, order_.pcOf(i), other.pc))
    return true;
  const Grid &grid = order_.grid();
  bool mine = other.agent == order_.numberOf(warp);
  uint32_t theirs = shadow_.lanes().lanesAt(other.lanes, address);
  if (mine && lane < kLanes)
    theirs &= ~(1u << lane);
  // The reads of lanes that nothing orders with the write.
  bool reads = access == Access::Read && !byUnit, afterRead = !otherWrites && !byUnit;
  Use read = reads ? order_.useOf(warp, i) : other;
  bool inStep = lanes == LaneOrder::InStep && !guess && (reads || afterRead) && isDiscardable(read.pc);
  if (inStep && !grid.sharedReads)
    order_.passDiscardable();
  bool goesOn = !guess && (lanes == LaneOrder::Unordered || inStep) && (reads || afterRead) &&
                addRacing(warp, read,
                          !reads ? theirs
                          : mine ? lanesUnordered(warp, theirs, other.epoch)
                                 : kAllLanes);
  if (goesOn && !isNews(*warp.block, kDeadReadKind, read.pc, read.pc))
    return true;
  LaneWords words(order_, warp, i, other, theirs);
  std::string what =
      text("`", grid.opcodeOf(i), "` ", verb(access), " ", describeShared(*warp.block, address), ", which ",
           words.who(), otherWrites ? " writes" : " reads", " without an order between them");
  std::vector<Note> notes{noteAt(order_, other, otherWrites), words.missing()};
  // If nothing wrote the bytes before the read, the missing order explains that finding, so add a note to it.
  if (!otherWrites && unwritten_ && unwrittenPc_ == other.pc)
    unwritten_->notes.push_back({grid.spanOf(i), text("this lane of the warp writes it, and no `bar.warp.sync` "
                                                      "(`__syncwarp()`) orders the two")});
  if (guess)
    return noteGuess(warp, i, lane, std::move(what), std::move(notes));
  if (goesOn)
    return noteDeadRead(warp, i, lane, std::move(what), std::move(notes));
  if (lanes == LaneOrder::Unordered) {
    if (!mine)
      warp.block->checks->phases.raced(warp, other);
    fault(warp, i, "race", std::move(what), lane, std::move(notes));
    return false;
  }
  return !isNews(*warp.block, kWarpSynchronousKind, order_.pcOf(i), other.pc) ||
         hazard(warp, i, std::string(kWarpSynchronousKind), what + words.inStep(), lane, std::move(notes));
}

/// A copy overwrites what a warp still uses from the previous round. The copy is at fault, because it comes too early.
bool SharedRaces::reportEarlyCopy(Warp &warp, const Instr &i, uint32_t address, Access access, const Use &copy) {
  const Grid &grid = order_.grid();
  const Instr &early = grid.program->code[copy.pc];
  uint32_t issuer = order_.mbarrierOf(copy.agent).issuer;
  Warp &by = blockOfRank(*warp.block, issuer / order_.warpsPerBlock())->warps[issuer % order_.warpsPerBlock()];
  std::string user = warpName(order_, order_.numberOf(warp));
  const char *use = access == Access::Read ? "read" : "write";
  fault(
      by, early, "race",
      Message(
          "`{}` here may start before {} {} {place}: nothing after that {} signals to {agent} that the memory is free",
          grid.opcodeOf(early), user, verb(access), describeShared(*warp.block, address), use,
          warpName(order_, issuer)),
      kNone,
      {Note{grid.spanOf(i), text(user, " ", verb(access), " it here, with `", grid.opcodeOf(i),
                                 "`; it has waited for every copy before this one")},
       Note{grid.spanOf(early),
            text("what is missing: an arrival of ", user, " after its ", use, ", and a wait for it before the copy")}});
  return false;
}

bool SharedRaces::addRacing(const Warp &warp, const Use &read, uint32_t lanes) {
  SharedReads *reads = order_.grid().sharedReads;
  if (!reads || !isUsedRead(read.pc)) // other rounds use the value of a pipeline's read ahead
    return false;
  uint32_t reader = order_.ownerOf(read.agent);
  const Block &block = *blockOfRank(*warp.block, reader / order_.warpsPerBlock());
  return reads->addRacing(block.warps[reader % order_.warpsPerBlock()], read.pc, read.epoch, lanes);
}

/// A warp (or its wgmma) has read bytes before the copy that fills them. Nothing had written them, so the reader should
/// have waited.
bool SharedRaces::reportEarlyRead(Warp &warp, uint32_t address, const Use &reader, const Use &copy) {
  const Grid &grid = order_.grid();
  const Instr &read = grid.program->code[reader.pc];
  uint32_t owner = order_.ownerOf(reader.agent);
  Block &block = *blockOfRank(*warp.block, owner / order_.warpsPerBlock());
  Warp &who = block.warps[owner % order_.warpsPerBlock()];
  if (order_.kindOf(reader.agent) == AsyncUnit::Warp && addRacing(warp, reader, kAllLanes))
    return true; // the read of unwritten memory is reported in any case
  block.checks->phases.raced(who, copy);
  fault(who, read, "copy-not-awaited",
        Message("`{}` reads {place}, which a copy still fills for this thread", grid.opcodeOf(read),
                describeShared(block, address)),
        kNone, {noteAt(order_, copy, true), Note{grid.spanOf(read), missingBefore(order_, who, copy)}});
  return false;
}

/// Mosaic GPU's stores by stmatrix begin with an ldmatrix of the same place, whose values no instruction uses.
bool SharedRaces::isDeadRead(uint32_t pc) {
  return !order_.isStrict(StrictForm::UnwrittenMatrix) &&
         order_.grid().opcodeOf(order_.grid().program->code[pc]).starts_with("ldmatrix") && !isUsedRead(pc);
}

bool SharedRaces::isUsedRead(uint32_t pc) {
  const Program &program = *order_.grid().program;
  std::optional<bool> &used = loads_[pc].used;
  if (!used)
    used = isUsed(program, program.code[pc]);
  return *used;
}

bool SharedRaces::isGuess(const Instr &i, Access access, const Use &other, bool otherWrites) {
  bool reads = access == Access::Read;
  if (reads != otherWrites)
    return false;
  uint32_t pc = reads ? order_.pcOf(i) : other.pc;
  std::optional<bool> &guess = loads_[pc].guess;
  if (!guess)
    guess = GuessFlow(*order_.grid().program, pc).isVerified();
  return *guess;
}

bool SharedRaces::noteGuess(Warp &warp, const Instr &i, uint32_t lane, std::string what, std::vector<Note> notes) {
  what += "; no result depends on the loaded value: `atom.cas` compares memory with it";
  warp.block->findings.push_back(
      findingAt(warp, i, Severity::Note, std::string(kVerifiedGuess), std::move(what), lane, std::move(notes)));
  return true;
}

bool SharedRaces::isDiscardable(uint32_t pc) {
  std::optional<bool> &discardable = loads_[pc].discardable;
  if (!discardable)
    discardable = mayDiscard(*order_.grid().program, pc);
  return *discardable;
}

bool SharedRaces::noteDeadRead(Warp &warp, const Instr &i, uint32_t lane, std::string what, std::vector<Note> notes) {
  what += "; no result depends on the value that it reads";
  warp.block->findings.push_back(
      findingAt(warp, i, Severity::Note, std::string(kDeadReadKind), std::move(what), lane, std::move(notes)));
  return true;
}

uint32_t SharedRaces::lanesUnordered(const Warp &warp, uint32_t with, Epoch epoch) const {
  const WarpLanes &lanes = order_.lanesOf(order_.numberOf(warp));
  uint32_t out = 0;
  for (uint32_t l = 0; l < kLanes; ++l)
    if (!lanes.isOrdered(1u << l, with, epoch))
      out |= 1u << l;
  return out;
}

void SharedRaces::noteUnwritten(Warp &warp, const Instr &i, uint32_t lane, uint32_t address) {
  const Grid &grid = order_.grid();
  if (unwritten_)
    return;
  if (isDeadRead(order_.pcOf(i)))
    return;
  unwrittenPc_ = order_.pcOf(i);
  unwritten_ = findingAt(
      warp, i, Severity::Note, "uninitialised-shared",
      Message("`{}` reads {place}, which nothing has written", grid.opcodeOf(i), describeShared(*warp.block, address)),
      lane);
}

std::optional<Diagnostic> SharedRaces::takeUnread() {
  if (tears_.empty())
    return std::nullopt;
  const Tear &tear = tears_.begin()->second;
  return findingAt(*tear.warp, *tear.instr, Severity::Note, std::string(kUnreadCopyKind),
                   Message("`{}` writes {place}, which a copy still fills; nothing reads the data of either copy",
                           order_.grid().opcodeOf(*tear.instr), describeShared(*tear.warp->block, tear.address)),
                   tear.lane, {noteAt(order_, tear.other, true)});
}

bool SharedRaces::reportUnfencedOverwrite(Warp &warp, const Instr &i, uint32_t lane, uint32_t address,
                                          const Use &reader) {
  constexpr std::string_view kKind = "unfenced-overwrite";
  if (!isNews(*warp.block, kKind, order_.pcOf(i), reader.pc))
    return true;
  const Grid &grid = order_.grid();
  return hazard(warp, i, std::string(kKind),
                Message("`{}` writes {place} through the async proxy, and the read of {agent} before it is not fenced: "
                        "it may read the new value",
                        grid.opcodeOf(i), describeShared(*warp.block, address),
                        warpName(order_, reader.agent % order_.warps())),
                lane,
                {noteAt(order_, reader, false),
                 Note{grid.spanOf(i), "the missing fence: `fence.proxy.async` in the reading thread, after its read "
                                      "and before the barrier that orders the two"}});
}

bool SharedRaces::reportNarrowScope(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access,
                                    const Use &other, bool otherWrites) {
  constexpr std::string_view kKind = "narrow-scope";
  if (!isNews(*warp.block, kKind, order_.pcOf(i), other.pc))
    return true;
  const Grid &grid = order_.grid();
  std::vector<Note> notes{noteAt(order_, other, otherWrites)};
  std::vector<Note> weak = weakNotes(order_, order_.viewOf(warp), other);
  notes.insert(notes.end(), weak.begin(), weak.end());
  return hazard(warp, i, std::string(kKind),
                Message("`{}` {} {place} after {}{} it, and the operation that orders the two across blocks has the "
                        "scope of one block (`.cta`)",
                        grid.opcodeOf(i), verb(access), describeShared(*warp.block, address),
                        order_.kindOf(other.agent) == AsyncUnit::Warp ? warpName(order_, other.agent) : "a copy",
                        otherWrites ? " wrote" : " read"),
                lane, std::move(notes));
}

bool SharedRaces::writeMbarrier(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint64_t address,
                                uint64_t bytes) {
  std::optional<uint32_t> there = mbarriers_.in(rank, address, bytes);
  if (!there)
    return true;
  mbarriers_.remove(rank, *there); // report each mbarrier once
  constexpr std::string_view kKind = "mbarrier-reused";
  const Grid &grid = order_.grid();
  const Instr &init = grid.program->code[order_.mbarrier(rank, *there).init.pc];
  if (!isNews(*warp.block, kKind, order_.pcOf(i), order_.pcOf(init)))
    return true;
  Block &owner = *blockOfRank(*warp.block, rank);
  return hazard(warp, i, std::string(kKind),
                Message("`{}` writes the memory of {barrier}, which has not been invalidated", grid.opcodeOf(i),
                        describeMbarrier(owner, *there)),
                lane,
                {Note{grid.spanOf(init), "it was initialised here"},
                 Note{grid.spanOf(i), "the missing instruction: `mbarrier.inval` after the last wait for it, and a "
                                      "barrier before this write"}});
}

bool SharedRaces::reportUnfencedInit(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address) {
  const Use &init = order_.mbarrier(rank, address).init;
  if (init.agent == order_.numberOf(warp) || order_.viewOf(warp).fenced.covers(init.agent, init.epoch) ||
      order_.viewOf(warp).inits.covers(init.agent, init.epoch))
    return true;
  constexpr std::string_view kKind = "unfenced-mbarrier-init";
  if (!isNews(*warp.block, kKind, order_.pcOf(i), init.pc))
    return true;
  const Grid &grid = order_.grid();
  return hazard(warp, i, std::string(kKind),
                Message("`{}` signals {barrier} through the async proxy, and its initialisation by {agent} is not "
                        "fenced: the copy may not see it",
                        grid.opcodeOf(i), describeMbarrier(*blockOfRank(*warp.block, rank), address),
                        warpName(order_, init.agent)),
                lane,
                {Note{grid.spanOf(grid.program->code[init.pc]), "it is initialised here"},
                 Note{grid.spanOf(grid.program->code[init.pc]),
                      "the missing fence: `fence.mbarrier_init.release.cluster`, or `fence.proxy.async`, after the "
                      "initialisation and before the barrier that orders the two"}});
}

bool SharedRaces::reportWarpgroupOrder(Warp &warp, uint32_t address, const Use &reader, const Use &write) {
  constexpr std::string_view kKind = "warpgroup-order";
  const Instr &i = order_.grid().program->code[reader.pc];
  if (!isNews(*warp.block, kKind, order_.pcOf(i), write.pc))
    return true;
  const Grid &grid = order_.grid();
  bool copies = order_.kindOf(write.agent) == AsyncUnit::CpAsync;
  return hazard(warp, i, std::string(kKind),
                Message("`{}` reads {place}, which {agent} of its warpgroup {}, without an order between them except "
                        "that the four warps multiply together",
                        grid.opcodeOf(i), describeShared(*warp.block, address),
                        warpName(order_, order_.ownerOf(write.agent)),
                        copies ? "copies there and waits for the copy" : "writes and fences"),
                kNone,
                {noteAt(order_, write, true),
                 Note{grid.spanOf(i), text("the missing barrier: of the warpgroup (`bar.sync 1, 128`), after the ",
                                           copies ? "waits for the copies" : "fences")}});
}

bool SharedRaces::reportUnfencedCopy(Warp &warp, const Instr &i, const Use &write) {
  constexpr std::string_view kKind = "unfenced-cp-async";
  if (!isNews(*warp.block, kKind, order_.pcOf(i), write.pc))
    return true;
  const Grid &grid = order_.grid();
  return hazard(
      warp, i, std::string(kKind),
      Message(
          "`{}` reads shared memory that `cp.async` filled, through the async proxy and without a fence between them",
          grid.opcodeOf(i)),
      kNone,
      {noteAt(order_, write, true),
       Note{grid.spanOf(i), "the missing fence: `fence.proxy.async` after `cp.async.wait_group`, before the "
                            "barrier that orders the two"}});
}

} // namespace lanescope::core::emulator
