// A picture of many small cells as the canvas's own pixels: what zooming far out shows, at a cost that follows the
// screen and not the array.
//
//   PixelImage image;
//   image.paintCells(raster, {.cellWidth = 0.4, .cellHeight = 0.4, .x = 12, .y = 0}, 900, 600);   // nearest texel
//   lit.paintMarks(raster, marks, place, 900, 600, 2);          // transparent but for the marked cells
//
// `version` changes with the pixels, so that whoever keeps a texture of them knows when to send them again. No Dear
// ImGui in here.
#pragma once

#include "viz/scene/CellRaster.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lanescope::viz {

/// Pixels between the lines of a hatch, along x or y: lines are where x + y is a multiple.
constexpr int kHatchPitch = 9;

/// Where a grid lies on the canvas, in pixels.
struct GridPlace {
  double cellWidth = 1, cellHeight = 1;
  double x = 0, y = 0; // of cell (0, 0)'s corner
  bool operator==(const GridPlace &) const = default;
};

class PixelImage {
public:
  PixelImage();

  int width() const { return width_; }
  int height() const { return height_; }
  /// 0xAABBGGRR, row by row from the top.
  std::span<const uint32_t> pixels() const { return pixels_; }
  /// No two images of a program share it.
  uint64_t id() const { return id_; }
  uint64_t version() const { return version_; }

  /// All of the grid that the canvas shows; averages where cells are smaller than a pixel. Copies are hatched in
  /// `hatch` (0xAABBGGRR; transparent: they are not), however small they are.
  void paintCells(const CellRaster &raster, const GridPlace &place, int width, int height, uint32_t hatch = 0);
  /// Only the given cells, at least `smallest` pixels wide and high, in what `colour` makes of theirs; 0 elsewhere.
  void paintMarks(const CellRaster &raster, std::span<const CellAt> marks, const GridPlace &place, int width,
                  int height, int smallest, const std::function<uint32_t(uint32_t)> &colour);

private:
  void resize(int width, int height);
  void paintHatch(const CellRaster &raster, const GridPlace &place, uint32_t hatch);

  uint64_t id_, version_ = 0;
  int width_ = 0, height_ = 0;
  std::vector<uint32_t> pixels_, texels_;
  std::vector<int32_t> columns_; // texel column of each pixel column, kept to reuse its memory
};

} // namespace lanescope::viz
