// The member mask of warp-wide instructions, checked.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

namespace lanescope::core::emulator {

/// The member mask in `slot`. False after a fault: a live member does not take part, or an outsider does.
bool warpMembers(Warp &warp, const Instr &i, uint32_t mask, uint32_t slot, uint32_t &members);
/// Whether all live lanes of the warp execute `i` (`.aligned` instructions); false after a fault.
bool wholeWarp(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
