// The byte layout of mma.sync's operands in registers, which DecodeMma.cpp describes. All kinds share it, and A of
// the sparse ones, of which the registers hold the stored half.
#pragma once

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <cstring>
#include <span>

namespace lanescope::core::emulator {

inline constexpr uint32_t kFragmentRowBytes = 64; // the largest row of A or column of B

/// Gathers the packed rows of A (16 or 8) and eight packed columns of B. `slotsA`, `slotsB`: their registers.
inline void gatherFragments(Warp &warp, std::span<const uint32_t> slotsA, std::span<const uint32_t> slotsB,
                            bool sixteenRows, uint8_t *a, uint8_t *b) {
  for (uint32_t r = 0; r < slotsA.size(); ++r) {
    // With 8 rows, each register has one group of eight rows. With 16 rows, odd registers are 8 rows further down.
    uint32_t down = sixteenRows ? 8 * (r & 1) : 0, along = sixteenRows ? r >> 1 : r;
    for (uint32_t l = 0; l < kLanes; ++l)
      std::memcpy(a + (l / 4 + down) * kFragmentRowBytes + 4 * (l % 4) + 16 * along, warp.reg<uint32_t>(slotsA[r]) + l,
                  4);
  }
  for (uint32_t r = 0; r < slotsB.size(); ++r)
    for (uint32_t l = 0; l < kLanes; ++l)
      std::memcpy(b + l / 4 * kFragmentRowBytes + 4 * (l % 4) + 16 * r, warp.reg<uint32_t>(slotsB[r]) + l, 4);
}

} // namespace lanescope::core::emulator
