// A part of a grid's blocks: a run of a large grid that leaves the others out.
//
//   BlockChoice choice = LANESCOPE_TRY(parseBlockChoice("0-7,100"));     // or "sample:16": spread over the grid
//   std::vector<uint64_t> clusters = LANESCOPE_TRY(clustersOf(choice, grid));
//   grid.chosen = clusters;
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::core {

namespace emulator {
struct Grid;
} // namespace emulator

struct BlockChoice {
  std::vector<std::pair<uint64_t, uint64_t>> ranges = {}; // first and last block, counted with x fastest
  uint64_t sample = 0; // the number of blocks to spread evenly; 0: the blocks of the ranges

  bool isAll() const { return ranges.empty() && sample == 0; }
};

/// "3", "0-7", "0-7,100", "sample:16". Errors: "launch".
Result<BlockChoice> parseBlockChoice(std::string_view text);

namespace emulator {

/// The clusters that hold the blocks, in order; empty if all are chosen. Errors: "launch": the grid has no such block.
Result<std::vector<uint64_t>> clustersOf(const BlockChoice &choice, const Grid &grid);

} // namespace emulator
} // namespace lanescope::core
