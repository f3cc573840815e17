// Checks the member mask of warp-wide instructions.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <optional>
#include <string_view>

namespace lanescope::core::emulator {

inline constexpr std::string_view kDivergentKind = "divergent-instruction"; // the kind of faults for missing lanes

inline constexpr std::string_view kOutsideLaneKind = "outside-lane";

/// Call this first in a warp-wide instruction, with the register `slot` of its member mask. Returns nothing if the
/// lanes in `mask` are exactly the live members. Otherwise the instruction is done. Either groups of lanes that name
/// masks of their own (tiles of cooperative groups) have each executed it; or it has faulted, because a live member
/// does not take part or an outsider does.
std::optional<Step> byMembers(Warp &warp, const Instr &i, uint32_t mask, uint32_t slot);
/// True if all live lanes of the warp execute `i`, an `.aligned` instruction; false after a fault.
bool wholeWarp(Warp &warp, const Instr &i, uint32_t mask);

/// Notes the lanes of the shuffle `i` that take the value of a lane outside `mask`, which is undefined (`from`: the
/// lane whose value each lane takes). Runs with other unwritten memory put something else there, and show if a result
/// depends on it.
void tellOutsiders(Warp &warp, const Instr &i, uint32_t mask, const uint32_t *from, uint32_t *values);

} // namespace lanescope::core::emulator
