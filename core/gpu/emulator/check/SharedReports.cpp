// What is said of races in shared memory: who does what to which bytes, who used them before, and which wait or fence
// is missing.
#include "core/gpu/emulator/check/SharedRaces.h"
#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

#include <utility>

namespace lanescope::core::emulator {

static const char *verb(Access access) { return access == Access::Read ? "reads" : "writes"; }

bool SharedRaces::report(Warp &warp, const Instr &i, uint32_t lane, uint32_t address, Access access, const Use &other,
                         bool otherWrites, bool byUnit, bool fenceOnly) {
  const Grid &grid = order_.grid();
  std::string_view opcode = grid.opcodeOf(i);
  std::string what = text("`", opcode, "` ", verb(access), " ", describeShared(*warp.block, address));
  std::vector<Note> notes{noteAt(order_, other, otherWrites)};
  AsyncUnit unit = order_.kindOf(other.agent);
  if (fenceOnly) {
    notes.push_back(
        {grid.spanOf(i), text("the missing fence: `fence.proxy.async` in the ",
                              otherWrites ? "writing thread, behind its write" : "reading thread, behind its read",
                              " and before the barrier that orders the two")});
    fault(warp, i, "missing-proxy-fence",
          text(what, " through the async proxy, and the ", otherWrites ? "write" : "read", " of ",
               warpName(order_, other.agent % order_.warps()),
               " before it is not fenced: ", otherWrites ? "the old value may be read" : "it may read the new value"),
          lane, std::move(notes));
    return false;
  }
  bool filling = byUnit && access == Access::Write && unit == AsyncUnit::Warp;
  notes.push_back(
      {grid.spanOf(i),
       filling ? text("no barrier between the two: either ", warpName(order_, other.agent % order_.warps()),
                      " has to wait for this copy, or the copy for ", warpName(order_, other.agent % order_.warps()))
               : missingBefore(order_, warp, other)});
  if (unit == AsyncUnit::Warp) {
    fault(warp, i, "race",
          text(what, ", which ", warpName(order_, other.agent % order_.warps()), otherWrites ? " writes" : " reads",
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
bool SharedRaces::reportEarlyRead(Warp &warp, uint32_t address, const Use &reader, const Use &copy) {
  const Grid &grid = order_.grid();
  const Instr &read = grid.program->code[reader.pc];
  uint32_t owner = order_.ownerOf(reader.agent);
  Block &block = *blockOfRank(*warp.block, owner / order_.warpsPerBlock());
  Warp &who = block.warps[owner % order_.warpsPerBlock()];
  fault(who, read, "copy-not-awaited",
        text("`", grid.opcodeOf(read), "` reads ", describeShared(block, address),
             ", which a copy still fills for this thread"),
        kNone, {noteAt(order_, copy, true), Note{grid.spanOf(read), missingBefore(order_, who, copy)}});
  return false;
}

void SharedRaces::noteUnwritten(Warp &warp, const Instr &i, uint32_t lane, uint32_t address) {
  const Grid &grid = order_.grid();
  if (unwritten_)
    return;
  fault(warp, i, "uninitialised-shared",
        text("`", grid.opcodeOf(i), "` reads ", describeShared(*warp.block, address), ", which nothing has written"),
        lane);
  unwritten_ = std::exchange(warp.block->fault, std::nullopt);
}

} // namespace lanescope::core::emulator
