// Updates mbarriers. A phase completes when its pending arrivals and its pending transaction bytes are both zero (PTX
// ISA 9.7.13.15, "Parallel Synchronization and Communication Instructions: mbarrier").
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

enum class MbarrierProblem : uint8_t { None, NotInitialised, Overwritten, TooManyArrivals, TxRange };

/// The mbarrier at a shared address (window offset). Checks that the mbarrier's memory still holds its image.
Mbarrier *findMbarrier(Block &block, uint32_t address, MbarrierProblem &problem);
/// Counts transaction bytes first (expect: positive, complete: negative), and then arrivals.
MbarrierProblem updateMbarrier(Block &block, Mbarrier &barrier, uint32_t arrivals, int64_t bytes, uint64_t time);
void storeImage(Block &block, Mbarrier &barrier);

} // namespace lanescope::core::emulator
