// A verdict explains a cost from layouts/cost in one sentence: it compares the cost with the best possible one, and
// says how to reach that.
//
//   verdictOn(*relayout(from, to, {64, 64}, 16), from)
//       ->  "costs 16 shuffles and 16 byte permutes a warp, where no plan needs fewer than 8; keep the array in `WGMMA`
//       and it is free"
//   verdictOn(report, swizzleAdvice(*parseSmemOp("ld.shared.b32"), map, memory, report))
//       ->  "8 times as many wavefronts as without bank conflicts: 512 where 64 would do; a 128-byte swizzle removes…"
#pragma once

#include "layouts/cost/Coalescing.h"
#include "layouts/cost/Conflicts.h"
#include "layouts/cost/Relayout.h"
#include "layouts/SharedMemory.h"

#include <optional>
#include <string>

namespace lanescope::layouts {

struct Verdict {
  bool good = false;
  std::string sentence; // begins in lower case, ends without a full stop
};

/// `from`: the layout that the array has.
Verdict verdictOn(const RelayoutReport &report, const Layout &from);

/// A swizzle of the same tiles, other than the present one, with which the access takes the fewest wavefronts.
struct SwizzleAdvice {
  std::optional<int> swizzle; // bytes; nothing if no swizzle that fits the tiles takes fewer wavefronts
  int64_t wavefronts = 0;
};
/// Returns nothing if the access has no conflicts, or if the memory has no tiles to swizzle.
std::optional<SwizzleAdvice> swizzleAdvice(const SmemOp &op, const ElementMap &map, const SmemMap &memory,
                                           const ConflictReport &report);
Verdict verdictOn(const ConflictReport &report, const std::optional<SwizzleAdvice> &advice = std::nullopt);

/// `map`, `strides`, `bitwidth`: the inputs of the report. Names WGStridedFragLayout if it would use more of the moved
/// bytes.
Verdict verdictOn(const CoalescingReport &report, const ElementMap &map, const Shape &strides, int bitwidth);

} // namespace lanescope::layouts
