// The rows of a tile that TMA copies: where each lies in the array and in shared memory.
#pragma once

#include "core/gpu/emulator/machine/AsyncOp.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lanescope::core::emulator {

/// Calls visit(row's global address or nothing, shared byte offset in the box, elements before/after the array) for
/// each innermost row of the tile.
template <class F> void forRows(const Tile &tile, F visit) {
  const TensorMap &map = tile.map;
  uint32_t rowBytes = static_cast<uint32_t>(map.box[0]) * map.elementBytes;
  // The part of each row that lies in the array, in elements of the box.
  int64_t first = std::clamp<int64_t>(-static_cast<int64_t>(tile.coordinates[0]), 0, map.box[0]);
  int64_t last = std::clamp<int64_t>(static_cast<int64_t>(map.sizes[0]) - tile.coordinates[0], first, map.box[0]);
  uint64_t start =
      map.global + static_cast<uint64_t>(static_cast<int64_t>(tile.coordinates[0]) + first) * map.elementBytes;
  uint32_t rows = map.rank < 2 ? 1 : tile.chosenRows ? kChosenRows : map.box[1]; // that follow one another
  uint32_t offset = 0;
  std::array<uint32_t, 5> at{};
  for (;;) {
    bool inside = true;
    uint64_t plane = start;
    for (int n = 2; n < map.rank; ++n) {
      int64_t index = int64_t{tile.coordinates[n]} + at[n];
      inside &= index >= 0 && static_cast<uint64_t>(index) < map.sizes[n];
      plane += static_cast<uint64_t>(index) * map.strides[n];
    }
    for (uint32_t row = 0; row < rows; ++row, offset += rowBytes) {
      int64_t index = tile.chosenRows ? tile.coordinates[1 + row] : int64_t{tile.coordinates[1]} + row;
      bool there = inside && (map.rank < 2 || (index >= 0 && static_cast<uint64_t>(index) < map.sizes[1]));
      visit(map.rank < 2 ? plane : plane + static_cast<uint64_t>(index) * map.strides[1], offset,
            static_cast<uint32_t>(first) * map.elementBytes,
            static_cast<uint32_t>(there ? last : first) * map.elementBytes, rowBytes);
    }
    int n = 2;
    for (; n < map.rank; ++n) {
      if (++at[n] < map.box[n])
        break;
      at[n] = 0;
    }
    if (n >= map.rank)
      return;
  }
}

} // namespace lanescope::core::emulator
