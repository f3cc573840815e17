// Ends waits for mbarriers, and for groups of copies and wgmmas.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Wakes the splits that wait for the mbarrier at `address`, whose phase has completed.
void wakeMbarrierWaiters(Block &block, uint32_t address, uint64_t time);
/// Wakes the splits that wait for a group, after one of the warp's groups has made progress.
void wakeGroupWaiters(Warp &warp, uint64_t time);

} // namespace lanescope::core::emulator
