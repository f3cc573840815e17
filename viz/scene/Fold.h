// How an array of any rank lies on a sheet of rows and columns: rank 2 as it is; rank 1 wrapped; leading dimensions of
// higher ranks stacked as rows; a scalar is one cell.
#pragma once

#include "layouts/Shape.h"

#include <algorithm>

namespace lanescope::viz {

struct Fold {
  int64_t rows = 1, columns = 1;
  int64_t count = 1; // elements; the last row of a wrapped array may be shorter

  /// Element at (row, column), or -1 past the end.
  int64_t element(int64_t row, int64_t column) const {
    int64_t index = row * columns + column;
    return index < count ? index : -1;
  }
};

inline Fold fold(const layouts::Shape &shape, int64_t wrap = 16) {
  Fold out;
  out.count = layouts::elementCount(shape);
  out.columns = shape.empty() ? 1 : shape.size() == 1 ? std::clamp<int64_t>(shape[0], 1, wrap) : shape.back();
  out.rows = out.columns == 0 ? 0 : (out.count + out.columns - 1) / out.columns;
  return out;
}

} // namespace lanescope::viz
