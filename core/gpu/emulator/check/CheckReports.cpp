// What the checker says: who does what to which bytes, who used them before, and which wait or fence is missing.
#include "core/gpu/emulator/check/Checks.h"

#include "core/gpu/emulator/schedule/Cluster.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "layouts/support/Text.h"

#include <bit>

namespace lanescope::core::emulator {

namespace {

uint32_t pcOf(const Warp &warp, const Instr &i) {
  return static_cast<uint32_t>(&i - warp.block->grid->program->code.data());
}

const char *verb(Access access) { return access == Access::Read ? "reads" : "writes"; }

} // namespace

AsyncUnit Checker::unitKind(Agent agent) const {
  return static_cast<AsyncUnit>(std::min<uint32_t>(agent / warps_, static_cast<uint32_t>(AsyncUnit::Mbarrier)));
}

std::string Checker::warpName(uint32_t globalWarp) const {
  std::string name = text("warp ", globalWarp % warpsPerBlock_);
  return warps_ == warpsPerBlock_ ? name : text(name, " of block ", globalWarp / warpsPerBlock_, " of the cluster");
}

/// "the copy `cp.async.bulk…` issued here signals …"; the note at the other use.
Note Checker::noteOf(const Use &other, bool otherWrites) const {
  const Instr &instr = grid_->program->code[other.pc];
  std::string_view opcode = grid_->opcodeOf(instr);
  uint32_t owner = other.agent % warps_;
  std::string what;
  switch (unitKind(other.agent)) {
  case AsyncUnit::Warp:
    what = text(warpName(owner), otherWrites ? " wrote it here, with `" : " read it here, with `", opcode, "`");
    break;
  case AsyncUnit::CpAsync: what = text("`", opcode, "`, which ", warpName(owner), " issued here, fills it"); break;
  case AsyncUnit::BulkGroup: what = text("`", opcode, "`, which ", warpName(owner), " issued here, reads it"); break;
  case AsyncUnit::BulkWrite: what = text("`", opcode, "`, which ", warpName(owner), " issued here, writes it"); break;
  case AsyncUnit::Wgmma: what = text("`", opcode, "`, issued here, reads it"); break;
  case AsyncUnit::Mbarrier: what = text("`", opcode, "`, issued here, ", otherWrites ? "fills it" : "reads it"); break;
  }
  return {grid_->spanOf(instr), std::move(what)};
}

bool Checker::mbarrierReady(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address) {
  const Use &init = barrier(rank, address).init;
  if (views_[globalWarp(warp)].seen.covers(init.agent, init.epoch))
    return true;
  fault(warp, i, "race",
        text("`", grid_->opcodeOf(i), "` uses ", describeMbarrier(*warp.block, address), ", which ",
             warpName(init.agent), " initialises without an order between them"),
        lane,
        {Note{grid_->spanOf(grid_->program->code[init.pc]), text(warpName(init.agent), " initialises it here")},
         Note{grid_->spanOf(i), warps_ == warpsPerBlock_
                                    ? "the missing barrier: `bar.sync` behind the initialisation"
                                    : "the missing barrier: `bar.sync` (`barrier.cluster` for other blocks of the "
                                      "cluster) behind the initialisation"}});
  return false;
}

uint32_t Checker::ownerOf(Agent agent) const {
  uint32_t owner = agent % warps_;
  if (unitKind(agent) == AsyncUnit::Wgmma) // a warpgroup's
    return owner / warpsPerBlock_ * warpsPerBlock_ + owner % warpsPerBlock_ * 4;
  return owner;
}

/// The wait, or the barrier behind it, that would have ordered the use before.
std::string Checker::missing(const Warp &warp, const Use &other) const {
  AsyncUnit unit = unitKind(other.agent);
  if (unit == AsyncUnit::Warp)
    return "no barrier (`bar.sync`, an mbarrier) between the two";
  if (unit == AsyncUnit::Mbarrier) {
    const BarrierState &barrier = barriers_[other.agent - static_cast<uint32_t>(AsyncUnit::Mbarrier) * warps_];
    Epoch phase = other.epoch > barrier.base ? other.epoch - barrier.base - 1 : 0;
    return text("the missing wait: phase ", phase, " (parity ", phase & 1, ") of ",
                describeMbarrier(*warp.block, barrier.address));
  }
  uint32_t owner = ownerOf(other.agent), me = globalWarp(warp), group = unit == AsyncUnit::Wgmma ? 4 : 1;
  bool own = me >= owner && me < owner + group, waited = false;
  // Of a warpgroup that has to wait itself, other warps may be ahead.
  for (uint32_t w = own ? me : owner; w < (own ? me + 1 : std::min(owner + group, warps_)); ++w)
    waited |= views_[w].seen.covers(other.agent, other.epoch);
  const char *wait = unit == AsyncUnit::CpAsync     ? "`cp.async.wait_group` (`wait_gmem_to_smem`)"
                     : unit == AsyncUnit::BulkGroup ? "`cp.async.bulk.wait_group.read` (`wait_smem_to_gmem`)"
                     : unit == AsyncUnit::BulkWrite ? "`cp.async.bulk.wait_group`, without `.read` "
                                                      "(`wait_smem_to_gmem`)"
                                                    : "`wgmma.wait_group` (`wgmma_wait`)";
  std::string who = group == 1 ? warpName(owner) : text("the warpgroup of ", warpName(owner));
  if (waited)
    return text(who, " has waited (", wait, "); a barrier is missing behind that");
  return own ? text("the missing wait: ", wait)
             : text("the missing wait: ", wait, " in ", who, " and a barrier behind it");
}

bool Checker::report(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access, const Use &other,
                     bool otherWrites, bool byUnit, bool fenceOnly) {
  std::string_view opcode = grid_->opcodeOf(i);
  std::string what = text("`", opcode, "` ", verb(access), " ", describeShared(*warp.block, address));
  std::vector<Note> notes{noteOf(other, otherWrites)};
  AsyncUnit unit = unitKind(other.agent);
  if (fenceOnly) {
    notes.push_back(
        {grid_->spanOf(i), text("the missing fence: `fence.proxy.async` in the ",
                                otherWrites ? "writing thread, behind its write" : "reading thread, behind its read",
                                " and before the barrier that orders the two")});
    fault(warp, i, "missing-proxy-fence",
          text(what, " through the async proxy, and the ", otherWrites ? "write" : "read", " of ",
               warpName(other.agent % warps_),
               " before it is not fenced: ", otherWrites ? "the old value may be read" : "it may read the new value"),
          lane, std::move(notes));
    return false;
  }
  bool filling = byUnit && access == Access::Write && unit == AsyncUnit::Warp;
  notes.push_back(
      {grid_->spanOf(i), filling ? text("no barrier between the two: either ", warpName(other.agent % warps_),
                                        " has to wait for this copy, or the copy for ", warpName(other.agent % warps_))
                                 : missing(warp, other)});
  if (unit == AsyncUnit::Warp) {
    fault(warp, i, "race",
          text(what, ", which ", warpName(other.agent % warps_), otherWrites ? " writes" : " reads",
               " without an order between them"),
          lane, std::move(notes));
  } else if (otherWrites) {
    fault(warp, i, "copy-not-awaited",
          text(what, byUnit ? ", which another copy still fills" : ", which a copy still fills for this thread"), lane,
          std::move(notes));
  } else {
    fault(warp, i, "overwritten-in-flight",
          text(what, ", which ", unit == AsyncUnit::Wgmma ? "a wgmma" : "a copy", " still reads"), lane,
          std::move(notes));
  }
  return false;
}

/// A warp (or its wgmma) has read what nothing had written, and the copy that fills it comes only now: the reader
/// should have waited.
bool Checker::reportEarlyRead(Warp &warp, uint32_t address, const Use &reader, const Use &copy) {
  const Instr &read = grid_->program->code[reader.pc];
  uint32_t owner = ownerOf(reader.agent);
  Block &block = *blockOfRank(*warp.block, owner / warpsPerBlock_);
  Warp &who = block.warps[owner % warpsPerBlock_];
  fault(who, read, "copy-not-awaited",
        text("`", grid_->opcodeOf(read), "` reads ", describeShared(block, address),
             ", which a copy still fills for this thread"),
        kNone, {noteOf(copy, true), Note{grid_->spanOf(read), missing(who, copy)}});
  return false;
}

void Checker::noteUnwritten(Warp &warp, const Instr &i, uint32_t lane, uint32_t address) {
  if (unwritten_)
    return;
  fault(warp, i, "uninitialised-shared",
        text("`", grid_->opcodeOf(i), "` reads ", describeShared(*warp.block, address), ", which nothing has written"),
        lane);
  unwritten_ = std::exchange(warp.block->fault, std::nullopt);
}

// --- wgmma's registers -----------------------------------------------------------------------------------------------

bool Checker::registers(Warp &warp, const Instr &i) {
  WgmmaState &state = wgmma_[globalWarp(warp)];
  const Program &program = *grid_->program;
  uint32_t pc = pcOf(warp, i);
  for (uint32_t n = program.trackedBegin[pc]; n < program.trackedBegin[pc + 1]; ++n) {
    const TrackedUse &use = program.trackedUses[n];
    RegisterState &reg = state.registers[use.reg];
    bool writing = reg.written > state.waited, reading = reg.read > state.waited;
    if (writing || (use.write && reading)) {
      Epoch by = writing ? reg.written : reg.read;
      const Instr &other = program.code[state.pcs[by - state.waited - 1]];
      fault(warp, i, "wgmma-in-flight",
            text("`", grid_->opcodeOf(i), "` ", use.write ? "writes" : "reads", " register `",
                 program.trackedRegisters[use.reg], "`, which a wgmma in flight ",
                 writing ? "accumulates into" : "reads as its A"),
            kNone,
            {Note{grid_->spanOf(other), "the wgmma was issued here"},
             Note{grid_->spanOf(i), "the missing wait: `wgmma.wait_group`"}});
      return false;
    }
    if (use.write)
      reg.fences = state.fences;
  }
  return true;
}

bool Checker::wgmma(Warp &warp, const Instr &i) {
  WgmmaState &state = wgmma_[globalWarp(warp)];
  const Program &program = *grid_->program;
  uint32_t pc = pcOf(warp, i);
  ++state.issued;
  state.pcs.push_back(pc);
  for (uint32_t n = program.trackedBegin[pc]; n < program.trackedBegin[pc + 1]; ++n) {
    const TrackedUse &use = program.trackedUses[n];
    RegisterState &reg = state.registers[use.reg];
    if (!use.write && reg.written > state.waited) {
      fault(warp, i, "wgmma-in-flight",
            text("`", grid_->opcodeOf(i), "` takes register `", program.trackedRegisters[use.reg],
                 "` as its A, which a wgmma in flight accumulates into"),
            kNone,
            {Note{grid_->spanOf(program.code[state.pcs[reg.written - state.waited - 1]]), "that wgmma was issued here"},
             Note{grid_->spanOf(i), "the missing wait: `wgmma.wait_group`"}});
      return false;
    }
    if (reg.fences == state.fences) {
      fault(warp, i, "missing-wgmma-fence",
            text("`", grid_->opcodeOf(i), "` uses register `", program.trackedRegisters[use.reg],
                 state.fences ? "`, which was written since the last `wgmma.fence`"
                              : "` before the first `wgmma.fence` of this warp"),
            kNone, {Note{grid_->spanOf(i), "the missing fence: `wgmma.fence.sync.aligned` before the first wgmma"}});
      return false;
    }
    (use.write ? reg.written : reg.read) = state.issued;
  }
  return true;
}

} // namespace lanescope::core::emulator
