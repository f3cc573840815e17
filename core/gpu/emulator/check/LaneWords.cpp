#include "core/gpu/emulator/check/LaneWords.h"

#include "core/gpu/emulator/check/UseWords.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

std::string LaneWords::who() const {
  std::string warp = isMine() ? "this warp" : warpName(order_, other_.agent);
  if (std::popcount(theirs_) > 1 && theirs_ == kAllLanes)
    return text("another lane of ", warp);
  return text("lane ", theirs_ ? std::countr_zero(theirs_) : 0, " of ", warp);
}

/// Finds an instruction between the two accesses, in program order, that waits for lanes and orders no memory.
std::string_view LaneWords::collectiveBetween() const {
  const std::vector<Instr> &code = order_.grid().program->code;
  for (uint32_t pc = other_.pc + 1, end = order_.pcOf(i_); pc < end; ++pc) {
    std::string_view opcode = order_.grid().opcodeOf(code[pc]);
    for (std::string_view root : {"shfl.sync", "vote.sync", "match.", "redux.sync"})
      if (opcode.starts_with(root))
        return opcode;
  }
  return {};
}

std::string LaneWords::inStep() const {
  return isMine() ? "; the lanes of a warp mostly execute in step, but PTX does not promise it"
                  : "; the lanes of that warp mostly execute in step, but PTX does not promise it";
}

Note LaneWords::missing() const {
  const Grid &grid = order_.grid();
  if (!isMine()) {
    LaneList told = order_.view(order_.numberOf(warp_)).lanesOf(other_.agent);
    auto by = std::ranges::find_if(
        told, [&](const KnownLanes &one) { return one.lanes != kAllLanes && one.epoch >= other_.epoch; });
    const Instr &at = by != told.end() ? grid.program->code[by->pc] : i_;
    return {grid.spanOf(at), by != told.end()
                                 ? text("`", grid.opcodeOf(at),
                                        "` publishes the accesses only of the lanes that execute it; the missing "
                                        "barrier: `bar.warp.sync` (`__syncwarp()`) "
                                        "after the accesses and before this")
                                 : "the missing barrier: `bar.warp.sync` (`__syncwarp()`) after the accesses"};
  }
  std::string_view collective = collectiveBetween();
  return {
      grid.spanOf(i_),
      text("the missing barrier: `bar.warp.sync` (`__syncwarp()`) between the two",
           collective.empty() ? std::string() : text("; `", collective, "` waits for the lanes and orders no memory"))};
}

} // namespace lanescope::core::emulator
