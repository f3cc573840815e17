// Ends waits: for mbarriers, and for groups of copies and wgmmas.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Wakes splits that wait for the mbarrier at `address`; its phase has completed.
void wakeMbarrierWaiters(Block &block, uint32_t address, uint64_t time);
/// Wakes splits that wait for a group: one has come further.
void wakeGroupWaiters(Warp &warp, uint64_t time);

} // namespace lanescope::core::emulator
