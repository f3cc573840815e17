// Where the lanes of an access go in global memory, for handlers that take the place of others (StaleLoads.h,
// PerturbedReads.h).
#pragma once

#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

namespace lanescope::core::emulator {

/// The number of a lane's thread, of all of the grid.
inline uint64_t threadOf(const Warp &warp, uint32_t lane) {
  return (warp.block->linear * warp.block->warps.size() + warp.id) * kLanes + lane;
}

/// Calls visit(lane, place, address) for each lane of `mask` whose bytes lie in global memory.
template <class Visit> void forGlobalPlaces(Warp &warp, const Instr &i, uint32_t mask, Visit visit) {
  uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  forLanes(mask, [&](uint32_t l) {
    uint64_t offset = 0;
    const Region *region = regionOf(*warp.block->grid, addresses[l], offset);
    if (region && region->data && offset + i.access <= region->bytes)
      visit(l, region->data + offset, addresses[l]);
  });
}

} // namespace lanescope::core::emulator
