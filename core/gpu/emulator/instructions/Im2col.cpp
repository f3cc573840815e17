#include "core/gpu/emulator/instructions/Im2col.h"

#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kWideOffsets = 2;    // a halo and an offset
constexpr uint32_t kWideOffsetEnd = 32; // PTX ISA, `wOffset`
constexpr std::string_view kAxes[] = {"W", "H", "D"};

/// The end of the range of im2col offsets. It depends on the number of image dimensions, because all offsets share 16
/// bits.
uint32_t offsetEnd(int axes) { return axes == 1 ? 1u << 16 : axes == 2 ? 1u << 8 : 1u << 5; }

std::string placeWide(Tile &tile, uint32_t halo, uint32_t offset) {
  // The ISA shows the order of halo pixels in shared memory only in pictures. It was not measured on a GPU.
  if (halo != 0)
    return text("a halo of ", halo, " pixels is not modelled; the emulator runs `", name(tile.map.mode),
                "` with a halo of 0");
  if (offset >= kWideOffsetEnd)
    return text("the offset ", offset, " of the width is not in [0, ", kWideOffsetEnd, ")");
  if (tile.coordinates[1] >= static_cast<int64_t>(tile.map.sizes[1]) + tile.map.upper[0])
    return text("the copy starts at W = ", tile.coordinates[1], ", right of its bounding box, which ends at ",
                static_cast<int64_t>(tile.map.sizes[1]) - 1 + tile.map.upper[0]);
  tile.offsets = {static_cast<uint16_t>(offset)};
  return {};
}

} // namespace

uint32_t coordinatesIn(const Instr &i, TmaMode mode, bool toGlobal) {
  if (toGlobal || mode == TmaMode::Tiled)
    return i.listSize;
  return mode == TmaMode::Im2col ? (i.listSize + 2) / 2 : i.listSize - kWideOffsets; // rank and rank - 2 offsets
}

std::string placePixels(Tile &tile, std::array<uint16_t, 3> named, bool toGlobal) {
  const TensorMap &map = tile.map;
  if (map.mode != TmaMode::Im2col)
    return placeWide(tile, named[0], named[1]);
  int axes = map.rank - 2;
  for (int n = 0; n < axes; ++n) {
    int64_t at = tile.coordinates[n + 1], lower = map.lower[n];
    int64_t upper = static_cast<int64_t>(map.sizes[n + 1]) - 1 + map.upper[n];
    if (at < lower || at > upper)
      return text("the copy starts at ", kAxes[n], " = ", at, ", outside of its bounding box from ", lower, " to ",
                  upper);
    if (named[n] >= offsetEnd(axes))
      return text("the offset ", named[n], " along ", kAxes[n], " is not in [0, ", offsetEnd(axes), ")");
    if (toGlobal && (lower < 0 || map.upper[n] > 0))
      return text("a store whose bounding box along ", kAxes[n], ", from ", lower, " to ", upper,
                  ", leaves the array, which loads alone may");
  }
  tile.offsets = named;
  return {};
}

} // namespace lanescope::core::emulator
