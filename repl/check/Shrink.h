// Searches a smaller launch that still shows a finding.
//
//   Shrunk shrunk = shrink(launch, [&](const core::Launch &smaller, const core::BlockChoice &blocks) {
//     return …; // runs it, and says if the finding is there
//   });
//   shrunk.grid      // the smallest grid found: {2, 1, 1}
//   shrunk.blocks    // the fewest blocks of the whole grid: {5, 6}
#pragma once

#include "core/gpu/emulator/ChosenBlocks.h"
#include "core/gpu/kernel/Launch.h"

#include <array>
#include <cstdint>
#include <functional>

namespace lanescope::repl {

struct Shrunk {
  std::array<uint32_t, 3> grid{1, 1, 1};
  core::BlockChoice blocks = {}; // all: no part of them suffices
  uint64_t runs = 0;
  bool endedEarly = false; // a smaller launch may exist
};

using ShowsFinding = std::function<bool(const core::Launch &launch, const core::BlockChoice &blocks)>;

/// Sizes of the grid are tried in turn: z, y, x, each from one cluster on. Then blocks of the whole grid are left out,
/// first the larger parts. A later run begins only within `seconds` from the start.
Shrunk shrink(const core::Launch &launch, double seconds, const ShowsFinding &shows);

} // namespace lanescope::repl
