// The rows of a tile that TMA copies: where each lies in the array and in shared memory.
#pragma once

#include "core/gpu/emulator/machine/AsyncOp.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

namespace lanescope::core::emulator {

/// Calls visit(row's global address or nothing, shared byte offset in the box, elements before/after the array) for
/// each innermost row of the tile.
template <class F> void forRows(const Tile &tile, F visit) {
  const TensorMap &map = tile.map;
  uint32_t rowBytes = static_cast<uint32_t>(map.box[0]) * map.elementBytes;
  std::array<uint32_t, 5> at{};
  std::array<uint16_t, 5> box = map.box;
  if (tile.chosenRows)
    box[1] = kChosenRows;
  uint32_t offset = 0;
  for (;;) {
    uint64_t address = map.global;
    bool inside = true;
    for (int n = 1; n < map.rank; ++n) {
      int64_t index = tile.chosenRows ? int64_t{tile.coordinates[1 + at[n]]} : int64_t{tile.coordinates[n]} + at[n];
      inside &= index >= 0 && static_cast<uint64_t>(index) < map.sizes[n];
      address += static_cast<uint64_t>(index) * map.strides[n];
    }
    // The part of the row that lies in the array, in elements of the box.
    int64_t first = std::clamp<int64_t>(-static_cast<int64_t>(tile.coordinates[0]), 0, map.box[0]);
    int64_t last = std::clamp<int64_t>(static_cast<int64_t>(map.sizes[0]) - tile.coordinates[0], first, map.box[0]);
    if (!inside)
      last = first;
    address += static_cast<uint64_t>(static_cast<int64_t>(tile.coordinates[0]) + first) * map.elementBytes;
    visit(address, offset, static_cast<uint32_t>(first) * map.elementBytes,
          static_cast<uint32_t>(last) * map.elementBytes, rowBytes);
    offset += rowBytes;
    int n = 1;
    for (; n < map.rank; ++n) {
      if (++at[n] < box[n])
        break;
      at[n] = 0;
    }
    if (n >= map.rank)
      return;
  }
}

using WholeChunk = std::integral_constant<uint32_t, 16>; // its copy is two moves

/// Calls visit(shared address, byte of the row, size) for the pieces of bytes [from, to) of a row that lie together in
/// swizzled shared memory: chunks of 16 bytes, nearly all whole.
template <class F>
void forChunks(uint32_t shared, uint32_t offset, uint32_t from, uint32_t to, uint32_t swizzle, F visit) {
  constexpr uint32_t kLine = layouts::kSwizzleLineBytes;
  uint32_t row = shared + offset;
  if (swizzle == 0) {
    if (from < to)
      visit(row + from, from, to - from);
  } else if (((row | from | to) & 15) == 0) {
    while (from < to) { // chunks of a line change places by the line's number
      uint32_t start = row + from, turned = swizzled(start, swizzle) ^ start;
      uint32_t end = std::min(to, from + (kLine - start % kLine));
      for (; from < end; from += 16)
        visit((row + from) ^ turned, from, WholeChunk{});
    }
  } else {
    while (from < to) {
      uint32_t size = std::min(to - from, 16 - ((row + from) & 15));
      visit(swizzled(row + from, swizzle), from, size);
      from += size;
    }
  }
}

} // namespace lanescope::core::emulator
