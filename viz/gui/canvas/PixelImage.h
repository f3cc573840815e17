// A picture of many small cells, as the pixels of the canvas. It is shown when the user zooms far out. Its cost depends
// on the size of the screen and not on the size of the array.
//
//   PixelImage image;
//   image.paintCells(raster, {.cellWidth = 0.4, .cellHeight = 0.4, .x = 12, .y = 0}, 900, 600);   // nearest texel
//   lit.paintMarks(raster, marks, place, 900, 600, 2);          // transparent except for the marked cells
//
// `version` changes with the pixels, so that the owner of a texture knows when to send them again. This file does not
// use Dear ImGui.
#pragma once

#include "viz/scene/CellRaster.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lanescope::viz {

/// The distance in pixels between the lines of a hatch, along x or y. The lines are at the places where x + y is a
/// multiple of it.
constexpr int kHatchPitch = 9;

/// The place of a grid on the canvas, in pixels.
struct GridPlace {
  double cellWidth = 1, cellHeight = 1;
  double x = 0, y = 0; // the corner of cell (0, 0)
  bool operator==(const GridPlace &) const = default;
};

class PixelImage {
public:
  PixelImage();

  int width() const { return width_; }
  int height() const { return height_; }
  /// Pixels as 0xAABBGGRR, row by row from the top.
  std::span<const uint32_t> pixels() const { return pixels_; }
  /// A number that identifies this image within the program.
  uint64_t id() const { return id_; }
  uint64_t version() const { return version_; }

  /// Paints the part of the grid that the canvas shows. If cells are smaller than a pixel, paints averages. Copies are
  /// hatched in `hatch` (0xAABBGGRR), however small they are. If `hatch` is transparent, they are not hatched.
  void paintCells(const CellRaster &raster, const GridPlace &place, int width, int height, uint32_t hatch = 0);
  /// Paints only the given cells, each at least `smallest` pixels wide and high. `colour` maps a cell's colour to the
  /// painted one. All other pixels are 0.
  void paintMarks(const CellRaster &raster, std::span<const CellAt> marks, const GridPlace &place, int width,
                  int height, int smallest, const std::function<uint32_t(uint32_t)> &colour);

private:
  void resize(int width, int height);
  void paintHatch(const CellRaster &raster, const GridPlace &place, uint32_t hatch);

  uint64_t id_, version_ = 0;
  int width_ = 0, height_ = 0;
  std::vector<uint32_t> pixels_, texels_;
  std::vector<int32_t> columns_; // the texel column of each pixel column; a member only so that its memory is reused
};

} // namespace lanescope::viz
