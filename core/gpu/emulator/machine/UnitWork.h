// The work that blocks give to the units of their multiprocessor. All resident blocks share these units.
#pragma once

#include "core/gpu/emulator/machine/CostModel.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lanescope::core::emulator {

/// Cycles by unit: issue slots, shared memory, tensor core, path to the L2 cache.
using UnitCycles = std::array<uint64_t, 4>;

/// The work of one block.
struct UnitWork {
  uint64_t wavefronts = 0; // wavefronts of shared memory
  uint64_t tensorCycles = 0;
  uint64_t sectors = 0; // transfers between the multiprocessor and the L2 cache

  UnitCycles cycles(uint64_t instructions) const {
    return {instructions / cost::kIssuesPerCycle, wavefronts, tensorCycles,
            sectors * cost::kSectorBytes / cost::kSmBytesPerCycle};
  }
};

/// The cycle at which each unit has finished all work given to it.
struct UnitClocks {
  UnitCycles free{};

  /// Queues the work of a block that started at `began` after the work of earlier blocks. Returns the cycle at which
  /// the work is done.
  uint64_t serve(uint64_t began, const UnitCycles &work) {
    for (size_t unit = 0; unit < free.size(); ++unit)
      free[unit] = std::max(free[unit], began) + work[unit];
    return std::ranges::max(free);
  }
};

} // namespace lanescope::core::emulator
