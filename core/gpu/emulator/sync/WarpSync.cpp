#include "core/gpu/emulator/sync/WarpSync.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "layouts/support/Text.h"

#include <bit>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

std::optional<Step> byMembers(Warp &warp, const Instr &i, uint32_t mask, uint32_t slot) {
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  const uint32_t *named = warp.reg<uint32_t>(slot);
  uint32_t members = named[first], missing = members & warp.live & ~mask;
  uint32_t &deserters = warp.split().desertedBy;
  if (missing == 0 && (mask & ~members) == 0 && deserters == 0) [[likely]]
    return std::nullopt;
  if (uint32_t ended = deserters & members & ~warp.live)
    return fault(
        warp, i, std::string(kDivergentKind),
        Message("`{}` is in diverged code: lane {} of its member mask does not take part: it goes round it and ends",
                warp.block->grid->opcodeOf(i), std::countr_zero(ended)),
        first);
  if (missing == 0 && (mask & ~members) == 0) {
    deserters = 0;
    return std::nullopt;
  }
  // Groups of lanes that name different masks execute the instruction separately, after all groups are complete.
  std::vector<uint32_t> groups;
  for (uint32_t left = mask; left;) {
    uint32_t theirs = named[std::countr_zero(left)], group = 0;
    forLanes(left, [&](uint32_t l) { group |= static_cast<uint32_t>(named[l] == theirs) << l; });
    left &= ~group;
    groups.push_back(group);
    if (group != (theirs & warp.live)) {
      first = static_cast<uint32_t>(std::countr_zero(group));
      members = theirs;
      missing = members & warp.live & ~group;
      mask = group;
      groups.clear();
      break;
    }
  }
  for (uint32_t group : groups)
    if (Step step = i.run(warp, i, group); step != Step::Next)
      return step;
  if (!groups.empty())
    return Step::Next;
  uint32_t outsiders = mask & ~members;
  std::string what = outsiders
                         ? text("lane ", std::countr_zero(outsiders), " executes it but is not in its member mask")
                         : text("lane ", std::countr_zero(missing), " of its member mask does not take part");
  return fault(warp, i, std::string(kDivergentKind),
               Message("`{}` is in diverged code: {}", warp.block->grid->opcodeOf(i), what), first);
}

bool wholeWarp(Warp &warp, const Instr &i, uint32_t mask) {
  if (mask == warp.live)
    return true;
  fault(warp, i, std::string(kDivergentKind),
        Message("`{}` must be executed by all {} live lanes of the warp, but only {} execute it",
                warp.block->grid->opcodeOf(i), std::popcount(warp.live), std::popcount(mask)),
        static_cast<uint32_t>(__builtin_ctz(mask)));
  return false;
}

void tellOutsiders(Warp &warp, const Instr &i, uint32_t mask, const uint32_t *from, uint32_t *values) {
  uint32_t takers = 0;
  forLanes(mask & warp.split().mask, [&](uint32_t l) { takers |= (~mask >> from[l] & 1) << l; });
  if (!takers)
    return;
  Block &block = *warp.block;
  if (auto other = std::to_integer<uint32_t>(block.grid->unwritten))
    forLanes(takers, [&](uint32_t l) { values[l] = other * 0x01010101u; });
  auto first = static_cast<uint32_t>(std::countr_zero(takers));
  bool ended = (warp.live >> from[first] & 1) == 0;
  if (block.checks && isNews(block, kOutsideLaneKind, block.checks->order.pcOf(i)))
    block.findings.push_back(
        findingAt(warp, i, Severity::Note, std::string(kOutsideLaneKind),
                  Message("`{}` takes the value of lane {}{}: it is undefined", block.grid->opcodeOf(i), from[first],
                          ended ? ", which has ended" : ", which is not in its member mask"),
                  first));
}

} // namespace lanescope::core::emulator
