// Finds a picture's boxes by place, for pictures that are not a grid of cells (a flow between two grids).
//
//   BoxIndex index(scene.body);
//   index.visit({10, 20, 300, 200}, [](int32_t box) { … });     // each box that may touch the rectangle, once
#pragma once

#include "viz/scene/Scene.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

class BoxIndex {
public:
  BoxIndex() = default;
  explicit BoxIndex(const Picture &body);

  template <typename Visit> void visit(const Rect &area, Visit visit) const {
    if (starts_.empty())
      return;
    int32_t j0 = bin(area.x, width_, columns_), j1 = bin(area.x + area.width, width_, columns_);
    int32_t i0 = bin(area.y, height_, rows_), i1 = bin(area.y + area.height, height_, rows_);
    for (int32_t i = i0; i <= i1; ++i)
      for (int32_t j = j0; j <= j1; ++j) {
        size_t b = size_t(i) * size_t(columns_) + size_t(j);
        for (int32_t k = starts_[b]; k < starts_[b + 1]; ++k)
          // A box in several bins is visited only once: in its own first bin, or in the first of its bins that the area
          // touches.
          if (const Entry &entry = entries_[size_t(k)]; std::max(entry.row, i0) == i && std::max(entry.column, j0) == j)
            visit(entry.box);
      }
  }

private:
  struct Entry {
    int32_t box, row, column; // the first bin that the box touches
  };
  static int32_t bin(double at, double size, int32_t count) {
    return int32_t(std::clamp<double>(std::floor(at / size * count), 0, count - 1));
  }

  double width_ = 0, height_ = 0;
  int32_t columns_ = 0, rows_ = 0;
  std::vector<int32_t> starts_; // bin b holds entries_[starts_[b] .. starts_[b + 1])
  std::vector<Entry> entries_;
};

} // namespace lanescope::viz
