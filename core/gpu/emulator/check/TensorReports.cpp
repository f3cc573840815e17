// Reports of wrong uses of tensor memory. A report says which warp accesses which cells, which one used them before,
// and which commit, wait or fence is missing.
#include "core/gpu/emulator/check/TensorRaces.h"
#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

/// Names the wait for the tensor core in the program's language, which is the snippet language or PTX.
std::string committedWait(const Grid &grid) {
  return grid.snippet ? "the missing wait: `barrier_wait` for the barrier that the operation is given, or "
                        "`tcgen05_commit_arrive` after it"
                      : "the missing wait: `tcgen05.commit` after it, and a wait for the phase of that commit's "
                        "mbarrier";
}

} // namespace

std::string TensorRaces::where(Place place) const {
  std::string at =
      text("tensor memory (column ", place.column, ", lanes ", place.lane, " to ", place.lane + kGroupLanes - 1, ")");
  return order_.oneBlock() ? at : text(at, " of block ", place.rank, " of the cluster");
}

std::string TensorRaces::who(const Access &access) const {
  std::string_view opcode = order_.grid().opcodeOf(order_.grid().program->code[access.pc]);
  return text("`", opcode, "` of ", warpName(order_, access.warp));
}

Note TensorRaces::noteAt(const Access &access, bool writes) const {
  const Instr &instr = order_.grid().program->code[access.pc];
  return {order_.grid().spanOf(instr), text(who(access), ", issued here, ", writes ? "writes it" : "reads it")};
}

bool TensorRaces::report(Warp &warp, const Instr &i, const Use &mine, const Use &others, Place place) {
  const auto &[me, writes] = mine;
  const auto &[other, otherWrites] = others;
  const Grid &grid = order_.grid();
  const View &view = order_.viewOf(warp);
  Agent agent = Ordering::tensorAgent(other.warp, static_cast<uint32_t>(other.use));
  const Ordering::TensorFences &fences = order_.tensorFences(me.warp);
  bool own = other.warp == me.warp;
  // True if the clock covers the issue of `other`. `done`: the warp of `other` knows that the operation is over.
  auto covers = [&](const Clock &clock) { return clock.covers(static_cast<Agent>(other.warp), other.issued); };
  bool issuedBefore = own || covers(view.seen) || covers(view.weak);
  bool done = order_.view(other.warp).tensor.covers(agent, other.epoch);
  bool inOrder = pipelined(other, otherWrites, me); // the operations run in order if their issues are ordered
  std::string what = text("`", grid.opcodeOf(i), "` ", writes ? "writes " : "reads ", where(place));
  std::vector<Note> notes{noteAt(other, otherWrites)};
  auto say = [&](std::string missing) { notes.push_back({grid.spanOf(i), std::move(missing)}); };

  bool behindWait =
      fences.pending.covers(agent, other.epoch) || (inOrder && fences.pendingIssued.covers(agent, other.epoch));
  if (!own && issuedBefore && (behindWait || inOrder || (done && order_.relaxes()))) { // the issues are ordered
    std::string owner = warpName(order_, other.warp);
    if (behindWait)
      say("the missing fence: `tcgen05.fence::after_thread_sync` after the wait");
    else
      say(text("the missing fence: `tcgen05.fence::before_thread_sync` in ", owner, ", after it",
               done ? " (and after its wait)" : "", " and before ", owner, " arrives"));
    fault(warp, i, "missing-tcgen05-fence",
          Message(
              "{} after {agent}{} it, but no fence makes the barrier between them order operations of the tensor core",
              what, who(other), otherWrites ? " wrote" : " read"),
          kNone, std::move(notes));
    return false;
  }
  std::string barrier = text(warpName(order_, other.warp), " has waited for it; a barrier is missing after that");
  if (other.use == TensorUse::Load) {
    if (!done) {
      say(text("the missing wait: `tcgen05.wait::ld` (`wait_load_tmem`) in ", warpName(order_, other.warp),
               own ? "" : " and a barrier after it",
               "; a use of the registers does not show that the cells have been read"));
      fault(warp, i, "tmem-load-in-flight", Message("{}, which {agent} may still read", what, who(other)), kNone,
            std::move(notes));
      return false;
    }
  } else if (other.use == TensorUse::Store) {
    if (!done) {
      say(text("the missing wait: `tcgen05.wait::st` (`commit_tmem`) in ", warpName(order_, other.warp),
               own ? "" : " and a barrier after it"));
      fault(warp, i, "tmem-store-in-flight", Message("{}, which {agent} has yet to write", what, who(other)), kNone,
            std::move(notes));
      return false;
    }
  } else {
    say(done ? barrier : committedWait(grid));
    if (otherWrites && !writes)
      fault(warp, i, "mma-not-awaited", Message("{}, which {agent} has yet to write", what, who(other)), kNone,
            std::move(notes));
    else
      fault(warp, i, "tmem-overwritten-in-flight",
            Message("{}, which {agent}{}", what, who(other), otherWrites ? " still writes" : " still reads"), kNone,
            std::move(notes));
    return false;
  }
  say(issuedBefore ? text(warpName(order_, other.warp), " has waited for it, but only after it arrived at the barrier")
                   : barrier);
  fault(warp, i, "tmem-race",
        Message("{}, which {agent}{} without an order between them", what, warpName(order_, other.warp),
                otherWrites ? " writes" : " reads"),
        kNone, std::move(notes));
  return false;
}

/// A warp has read cells that nothing had written, before the operation that writes them. The reader should have
/// waited.
bool TensorRaces::reportEarly(Warp &warp, const Access &reader, const Access &writer, Place place) {
  const Grid &grid = order_.grid();
  const Instr &read = grid.program->code[reader.pc];
  Block &block = *blockOfRank(*warp.block, reader.warp / order_.warpsPerBlock());
  fault(block.warps[reader.warp % order_.warpsPerBlock()], read, "mma-not-awaited",
        Message("`{}` reads {place}, which {agent} has yet to write", grid.opcodeOf(read), where(place), who(writer)),
        kNone, {noteAt(writer, true), Note{grid.spanOf(read), committedWait(grid)}});
  return false;
}

bool TensorRaces::isUsedBetween(uint32_t load, uint32_t end) {
  auto [known, fresh] = used_.try_emplace({load, end}, true);
  if (!fresh || end < load)
    return known->second;
  const Program &program = *order_.grid().program;
  const Instr &first = program.code[load];
  std::vector<uint32_t> slots(program.lists.begin() + first.list, program.lists.begin() + first.list + first.listSize);
  slots.push_back(first.d2);
  auto isOne = [&](uint32_t slot) { return slot != kNone && std::ranges::find(slots, slot) != slots.end(); };
  for (uint32_t pc = load + 1; pc < end; ++pc) {
    const Instr &i = program.code[pc];
    const uint32_t *list = program.lists.data() + i.list;
    bool takes = isOne(i.a) || isOne(i.b) || isOne(i.c) || isOne(i.e) ||
                 (!i.load && std::any_of(list, list + i.listSize, isOne));
    if (takes && !order_.grid().opcodeOf(i).starts_with("mov."))
      return true;
    if (takes) { // copies a register, packs two registers into one, or unpacks one
      slots.push_back(i.d);
      slots.insert(slots.end(), list, list + i.listSize);
    }
  }
  return known->second = false;
}

/// True if an instruction after `pc` allocates tensor memory. The operation in flight could then overwrite that
/// allocation.
static bool allocatesAfter(const Program &program, uint32_t pc) {
  return std::any_of(program.code.begin() + pc, program.code.end(), [&](const Instr &one) {
    return std::string_view(program.function->instructions[one.source].opcode).starts_with("tcgen05.alloc");
  });
}

bool TensorRaces::freed(Warp &warp, const Instr &i, uint32_t rank, uint32_t column, uint32_t columns) {
  if (cells_.empty())
    return true;
  uint32_t me = order_.numberOf(warp);
  const View &view = order_.viewOf(warp);
  const Ordering::TensorFences &fences = order_.tensorFences(me);
  auto over = [&](const Access &other) {
    Agent agent = Ordering::tensorAgent(other.warp, static_cast<uint32_t>(other.use));
    if (view.tensor.covers(agent, other.epoch) || fences.pending.covers(agent, other.epoch))
      return true;
    // A deallocation does not write the columns. If the kernel has used the loaded values, the load is over.
    bool used = other.use == TensorUse::Load &&
                (other.warp == me || view.seen.covers(static_cast<Agent>(other.warp), other.issued)) &&
                isUsedBetween(other.pc, order_.pcOf(i));
    if (used)
      noteUnawaited(warp, i, other);
    return used;
  };
  CellBox all;
  all.lanes = kTensorLanes;
  all.column = static_cast<uint16_t>(column);
  all.columns = static_cast<uint16_t>(columns);
  uint32_t okWrite = kNoUse, okReads = kNoUse;
  return forCells(rank, {&all, 1}, [&](Cell &cell, Place place) {
    auto tell = [&](const Access &other, bool writes) {
      const Grid &grid = order_.grid();
      bool done = order_.view(other.warp)
                      .tensor.covers(Ordering::tensorAgent(other.warp, static_cast<uint32_t>(other.use)), other.epoch);
      std::string_view wait = other.use == TensorUse::Store ? "`tcgen05.wait::st`" : "`tcgen05.wait::ld`";
      std::string behind = other.warp == me ? "" : ", and a barrier after that wait";
      std::string message = text("`", grid.opcodeOf(i), "` gives ", where(place), " back, which ", who(other),
                                 writes ? " may still write" : " may still read");
      std::vector<Note> notes{
          noteAt(other, writes),
          Note{grid.spanOf(i),
               other.use == TensorUse::Op ? committedWait(grid) + ", and a barrier after that wait"
               : done ? text(warpName(order_, other.warp), " has waited for it; a barrier is missing after that")
                      : text("the missing wait: ", wait, " in ", warpName(order_, other.warp), behind)}};
      if (other.use == TensorUse::Op && !allocatesAfter(*grid.program, order_.pcOf(i)))
        return !isNews(*warp.block, kUnfinishedMmaKind, order_.pcOf(i), other.pc) ||
               hazard(warp, i, std::string(kUnfinishedMmaKind), std::move(message), kNone, std::move(notes));
      fault(warp, i, "tmem-freed-in-flight", std::move(message), kNone, std::move(notes));
      return false;
    };
    if (cell.write != okWrite) {
      if (cell.write && !over(accesses_[cell.write]))
        return tell(accesses_[cell.write], true);
      okWrite = cell.write;
    }
    if (cell.reads != okReads) {
      for (uint32_t r = cell.reads; r; r = accesses_[r].rest)
        if (!over(accesses_[r]))
          return tell(accesses_[r], false);
      okReads = cell.reads;
    }
    return true;
  });
}

void TensorRaces::noteUnawaited(Warp &warp, const Instr &i, const Access &load) {
  constexpr std::string_view kKind = "unawaited-tmem-load";
  if (!isNews(*warp.block, kKind, order_.pcOf(i), load.pc))
    return;
  const Grid &grid = order_.grid();
  warp.block->findings.push_back(findingAt(
      warp, i, Severity::Note, std::string(kKind),
      Message("`{}` gives columns back that {agent} reads, and no `tcgen05.wait::ld` lies between the two: only a use "
              "of the loaded registers does, and it orders registers alone",
              grid.opcodeOf(i), who(load)),
      kNone,
      {noteAt(load, false), Note{grid.spanOf(i), text("the missing wait: `tcgen05.wait::ld` in ",
                                                      warpName(order_, load.warp), " after its last load")}}));
}

void TensorRaces::noteUnwritten(Warp &warp, const Instr &i, Place place) {
  if (unwritten_)
    return;
  unwritten_ =
      findingAt(warp, i, Severity::Note, "uninitialised-tmem",
                Message("`{}` reads {place}, which nothing has written", order_.grid().opcodeOf(i), where(place)));
}

} // namespace lanescope::core::emulator
