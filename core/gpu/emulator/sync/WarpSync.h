// Checks the member mask of warp-wide instructions.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <optional>
#include <string_view>

namespace lanescope::core::emulator {

inline constexpr std::string_view kDivergentKind = "divergent-instruction"; // the kind of faults for missing lanes

inline constexpr std::string_view kOutsideLaneKind = "outside-lane";

/// Call this first in a warp-wide instruction. `slot` is the register of its member mask. Returns nothing if the lanes
/// in `mask` are exactly the live members of that mask. Otherwise the instruction has been handled: either several
/// groups of lanes, each with a mask of its own (tiles of cooperative groups), have executed it, or it has faulted,
/// because a live member does not take part or a lane outside the mask does.
std::optional<Step> byMembers(Warp &warp, const Instr &i, uint32_t mask, uint32_t slot);
/// True if all live lanes of the warp execute `i`, an `.aligned` instruction; false after a fault.
bool wholeWarp(Warp &warp, const Instr &i, uint32_t mask);

/// Records the lanes of the shuffle `i` that take their value from a lane outside `mask`. That value is undefined.
/// `from`: the lane whose value each lane takes. Runs with other unwritten memory put other values there, and show if a
/// result depends on them.
void tellOutsiders(Warp &warp, const Instr &i, uint32_t mask, const uint32_t *from, uint32_t *values);

} // namespace lanescope::core::emulator
