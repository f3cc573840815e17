// The rows of a tile that TMA copies, and the place of each row in the array and in shared memory.
#pragma once

#include "core/gpu/emulator/machine/AsyncOp.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lanescope::core::emulator {

/// Calls `visit` for a row that begins at the tile's innermost coordinate, with the part of the row that lies in the
/// array. `address` is the address of coordinate 0. If the row is not `inside`, that part is empty.
template <class F> void visitRow(const Tile &tile, uint64_t address, bool inside, uint32_t offset, F &visit) {
  const TensorMap &map = tile.map;
  int64_t first = std::clamp<int64_t>(-static_cast<int64_t>(tile.coordinates[0]), 0, map.box[0]);
  int64_t last = std::clamp<int64_t>(static_cast<int64_t>(map.sizes[0]) - tile.coordinates[0], first, map.box[0]);
  if (!inside)
    last = first;
  address += static_cast<uint64_t>(static_cast<int64_t>(tile.coordinates[0]) + first) * map.elementBytes;
  visit(address, offset, static_cast<uint32_t>(first) * map.elementBytes,
        static_cast<uint32_t>(last) * map.elementBytes, static_cast<uint32_t>(map.box[0]) * map.elementBytes);
}

/// Does what forRows() does, for im2col modes, in which a row is the channels of a pixel. The walk begins at the
/// coordinates, stays in the bounding box and ends after the number of pixels in the descriptor. The offsets move what
/// is read, and not the walk (PTX ISA, "im2col mode"). The W modes go from the end of the width to the next image.
template <class F> void forPixels(const Tile &tile, F &visit) {
  const TensorMap &map = tile.map;
  const int images = map.rank - 1;
  std::array<int64_t, 5> at{};
  for (int n = 1; n <= images; ++n)
    at[n] = tile.coordinates[n];
  uint32_t rowBytes = static_cast<uint32_t>(map.box[0]) * map.elementBytes;
  for (uint32_t pixel = 0; pixel < map.pixels; ++pixel) {
    uint64_t address = map.global;
    bool inside = true;
    for (int n = 1; n <= images; ++n) {
      int64_t index = at[n] + (n < images ? tile.offsets[n - 1] : 0);
      inside &= index >= 0 && static_cast<uint64_t>(index) < map.sizes[n];
      address += static_cast<uint64_t>(index) * map.strides[n];
    }
    visitRow(tile, address, inside, pixel * rowBytes, visit);
    int walked = map.mode == TmaMode::Im2col ? images : 2, n = 1;
    for (; n < walked; ++n) {
      if ((at[n] += map.steps[n]) < static_cast<int64_t>(map.sizes[n]) + map.upper[n - 1])
        break;
      at[n] = map.lower[n - 1];
    }
    if (n == walked)
      ++at[images];
  }
}

/// Goes to the next plane, in the dimensions beyond the rows. Returns false after the last plane.
inline bool toNextPlane(const TensorMap &map, std::array<uint32_t, 5> &at) {
  for (int n = 2; n < map.rank; ++n) {
    if (++at[n] < map.taken(n))
      return true;
    at[n] = 0;
  }
  return false;
}

/// Calls `visit` for each innermost row of the tile with five arguments: the row's global address or nothing, its byte
/// offset in the tile's shared memory, the first byte and the end of the part that lies in the array, and the row's
/// bytes.
template <class F> void forRows(const Tile &tile, F visit) {
  const TensorMap &map = tile.map;
  if (map.mode != TmaMode::Tiled) [[unlikely]]
    return forPixels(tile, visit);
  uint32_t rowBytes = static_cast<uint32_t>(map.box[0]) * map.elementBytes;
  // The part of each row that lies in the array, in elements of the box.
  int64_t first = std::clamp<int64_t>(-static_cast<int64_t>(tile.coordinates[0]), 0, map.box[0]);
  int64_t last = std::clamp<int64_t>(static_cast<int64_t>(map.sizes[0]) - tile.coordinates[0], first, map.box[0]);
  uint64_t start =
      map.global + static_cast<uint64_t>(static_cast<int64_t>(tile.coordinates[0]) + first) * map.elementBytes;
  uint32_t rows = map.rank < 2 ? 1 : tile.chosenRows ? kChosenRows : map.taken(1); // rows per plane
  uint32_t offset = 0;
  std::array<uint32_t, 5> at{};
  for (;;) {
    bool inside = true;
    uint64_t plane = start;
    for (int n = 2; n < map.rank; ++n) {
      int64_t index = int64_t{tile.coordinates[n]} + int64_t{at[n]} * map.steps[n];
      inside &= index >= 0 && static_cast<uint64_t>(index) < map.sizes[n];
      plane += static_cast<uint64_t>(index) * map.strides[n];
    }
    for (uint32_t row = 0; row < rows; ++row, offset += rowBytes) {
      int64_t index =
          tile.chosenRows ? tile.coordinates[1 + row] : int64_t{tile.coordinates[1]} + int64_t{row} * map.steps[1];
      bool there = inside && (map.rank < 2 || (index >= 0 && static_cast<uint64_t>(index) < map.sizes[1]));
      visit(map.rank < 2 ? plane : plane + static_cast<uint64_t>(index) * map.strides[1], offset,
            static_cast<uint32_t>(first) * map.elementBytes,
            static_cast<uint32_t>(there ? last : first) * map.elementBytes, rowBytes);
    }
    if (!toNextPlane(map, at))
      return;
  }
}

/// True if the whole tile lies in the array, and each plane has rows at equal distances.
inline bool hasWholePlanes(const Tile &tile) {
  const TensorMap &map = tile.map;
  bool inside = map.mode == TmaMode::Tiled && map.rank >= 2 && !tile.chosenRows;
  for (int n = 0; n < map.rank && inside; ++n) {
    int64_t last = n == 0 ? int64_t{map.box[0]} - 1 : (int64_t{map.taken(n)} - 1) * map.steps[n];
    inside = tile.coordinates[n] >= 0 && static_cast<uint64_t>(tile.coordinates[n] + last) < map.sizes[n];
  }
  return inside;
}

/// Calls visit(global address, shared byte offset in the tile) for the first row of each plane. hasWholePlanes() must
/// be true.
template <class F> void forPlanes(const Tile &tile, F visit) {
  const TensorMap &map = tile.map;
  uint32_t planeBytes = static_cast<uint32_t>(map.box[0]) * map.elementBytes * map.taken(1), offset = 0;
  uint64_t start = map.global + static_cast<uint64_t>(tile.coordinates[0]) * map.elementBytes +
                   static_cast<uint64_t>(tile.coordinates[1]) * map.strides[1];
  std::array<uint32_t, 5> at{};
  for (;; offset += planeBytes) {
    uint64_t plane = start;
    for (int n = 2; n < map.rank; ++n)
      plane += static_cast<uint64_t>(tile.coordinates[n] + int64_t{at[n]} * map.steps[n]) * map.strides[n];
    visit(plane, offset);
    if (!toNextPlane(map, at))
      return;
  }
}

} // namespace lanescope::core::emulator
