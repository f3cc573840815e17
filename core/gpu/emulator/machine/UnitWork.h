// What blocks have the units of their multiprocessor do, which those that are there at once share.
#pragma once

#include "core/gpu/emulator/machine/CostModel.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lanescope::core::emulator {

/// By unit: issue slots, shared memory, tensor core, the way to the L2 cache.
using UnitCycles = std::array<uint64_t, 4>;

/// Of a block.
struct UnitWork {
  uint64_t wavefronts = 0; // of shared memory
  uint64_t tensorCycles = 0;
  uint64_t sectors = 0; // between the multiprocessor and the L2 cache

  UnitCycles cycles(uint64_t instructions) const {
    return {instructions / cost::kIssuesPerCycle, wavefronts, tensorCycles,
            sectors * cost::kSectorBytes / cost::kSmBytesPerCycle};
  }
};

/// When each unit has done all that it was given.
struct UnitClocks {
  UnitCycles free{};

  /// The cycle at which the work of a block that began at `began` is done, behind that of those before it.
  uint64_t serve(uint64_t began, const UnitCycles &work) {
    for (size_t unit = 0; unit < free.size(); ++unit)
      free[unit] = std::max(free[unit], began) + work[unit];
    return std::ranges::max(free);
  }
};

} // namespace lanescope::core::emulator
