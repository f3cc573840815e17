// A grid of any size, which computes cells on demand. The window draws it if there would be too many boxes.
//
//   const CellRaster &raster = *scene.raster;                 // 4096 x 4096
//   raster.prepare();                                         // once, off the UI thread: averages for zooming out
//   int level = raster.levelFor(0.3);                         // a cell is 0.3 pixels wide -> level 2: texels of 4 x 4
//   raster.fill(level, row, column, 600, 900, pixels, 900);   // 0xAABBGGRR, ready for a texture
//   raster.describe(9, 2)   ->  "element (9, 2) is held by warp 0, lane 5 in register 1, position 0"
//
// Rows and columns are those of the whole grid, not of the boxes (which may stand for blocks). Colours come directly
// from the flat tables of the maps. Only averages are stored, for levels coarser than a cell. Several threads may call
// all members at the same time.
#pragma once

#include "viz/scene/CellGrid.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace lanescope::viz {

class CellRaster {
public:
  explicit CellRaster(std::shared_ptr<const CellModel> model);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  const CellModel &model() const { return *model_; }

  /// Level k has a texel for each 2^k x 2^k cells, with their mean colour. The last level is a single texel.
  int levels() const { return static_cast<int>(sizes_.size()); }
  struct Size {
    int64_t rows, columns;
  };
  Size size(int level) const { return sizes_[static_cast<size_t>(level)]; }
  /// The finest level whose texels are at least one pixel wide if a cell is `pixelsPerCell` wide.
  int levelFor(double pixelsPerCell) const;
  /// Computes the averages in one pass over all cells. fill() calls this if needed.
  void prepare() const;
  /// Gets the colours of a rectangle of texels inside the level, as 0xAABBGGRR; 0 for an empty texel. `stride`: the
  /// stride of `out`, in texels.
  void fill(int level, int64_t row, int64_t column, int64_t rowCount, int64_t columnCount, uint32_t *out,
            int64_t stride) const;

  /// The element at a place; -1 for an empty cell or a place outside the grid.
  int64_t element(int64_t row, int64_t column) const;
  Cell cell(int64_t row, int64_t column) const { return model_->cell(row, column); }
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const {
    model_->label(row, column, label, detail);
  }
  /// The hover text.
  std::string describe(int64_t row, int64_t column) const { return model_->tooltip(row, column); }
  /// The cells that show the elements, row by row, without duplicates.
  std::vector<CellAt> cellsWith(std::span<const int32_t> elements) const;

private:
  void average() const;

  std::shared_ptr<const CellModel> model_;
  int64_t rows_, columns_;
  std::vector<Size> sizes_;
  mutable std::once_flag averaged_;
  mutable std::vector<std::vector<uint32_t>> averages_; // for the levels from 1 on
};

} // namespace lanescope::viz
