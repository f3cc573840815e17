// The member mask of warp-wide instructions, checked.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <optional>
#include <string_view>

namespace lanescope::core::emulator {

inline constexpr std::string_view kDivergentKind = "divergent-instruction"; // of faults for want of lanes

inline constexpr std::string_view kOutsideLaneKind = "outside-lane";

/// To begin a warp-wide instruction with: looks at the member mask in `slot`. None: all lanes of `mask`, and no live
/// lane more, are its members. Else the instruction is done: groups of lanes that name masks of their own (tiles of
/// cooperative groups) have each executed it by themselves; or a live member does not take part, or an outsider does, a
/// fault.
std::optional<Step> byMembers(Warp &warp, const Instr &i, uint32_t mask, uint32_t slot);
/// Whether all live lanes of the warp execute `i` (`.aligned` instructions); false after a fault.
bool wholeWarp(Warp &warp, const Instr &i, uint32_t mask);

/// Notes lanes of the shuffle `i` that take the value of a lane outside `mask` (`from`: whose each takes), which is
/// undefined: runs with other unwritten memory put something else there, and show whether a result depends on it.
void tellOutsiders(Warp &warp, const Instr &i, uint32_t mask, const uint32_t *from, uint32_t *values);

} // namespace lanescope::core::emulator
