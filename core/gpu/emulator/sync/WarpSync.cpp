#include "core/gpu/emulator/sync/WarpSync.h"

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "layouts/support/Text.h"

#include <bit>

namespace lanescope::core::emulator {

std::optional<Step> byMembers(Warp &warp, const Instr &i, uint32_t mask, uint32_t slot) {
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  const uint32_t *named = warp.reg<uint32_t>(slot);
  uint32_t members = named[first], missing = members & warp.live & ~mask;
  if (missing == 0 && (mask & ~members) == 0)
    return std::nullopt;
  uint32_t alike = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(left));
    alike |= static_cast<uint32_t>(named[lane] == members) << lane;
  }
  if (alike != mask) {
    if (Step step = i.run(warp, i, alike); step != Step::Next)
      return step;
    return i.run(warp, i, mask & ~alike);
  }
  std::string what = missing
                         ? text("lane ", __builtin_ctz(missing), " of its member mask does not take part")
                         : text("lane ", __builtin_ctz(mask & ~members), " executes it but is not in its member mask");
  return fault(warp, i, std::string(kDivergentKind),
               text("`", warp.block->grid->opcodeOf(i), "` in diverged code: ", what), first);
}

bool wholeWarp(Warp &warp, const Instr &i, uint32_t mask) {
  if (mask == warp.live)
    return true;
  fault(warp, i, std::string(kDivergentKind),
        text("`", warp.block->grid->opcodeOf(i), "` must be executed by all ", std::popcount(warp.live),
             " live lanes of the warp, but only ", std::popcount(mask), " execute it"),
        static_cast<uint32_t>(__builtin_ctz(mask)));
  return false;
}

} // namespace lanescope::core::emulator
