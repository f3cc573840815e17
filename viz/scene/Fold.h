// How an array of any rank lies on a sheet of rows and columns: rank 2 as it is; rank 1 wrapped into rows of 16, or for
// long ones of more, so that it stays at most twice as high as wide; leading dimensions of higher ranks stacked as
// rows, or some of them fixed (a slice); a scalar is one cell.
//
//   fold({4, 64, 32}, {2})  ->  64 rows by 32 columns of the elements (2, i, j)
#pragma once

#include "layouts/Shape.h"
#include "viz/scene/CellGrid.h"

#include <algorithm>
#include <optional>

namespace lanescope::viz {

struct Fold {
  int64_t rows = 1, columns = 1;
  int64_t count = 1;   // elements; the last row of a wrapped array may be shorter
  int64_t base = 0;    // the first element: what the slice fixes
  layouts::Shape rest; // the dimensions that are laid out

  /// Element at (row, column), or -1 past the end.
  int64_t element(int64_t row, int64_t column) const {
    int64_t index = row * columns + column;
    return index < count ? base + index : -1;
  }
  bool holds(int64_t element) const { return element >= base && element < base + count; }
  /// Where an element is drawn; nothing for one outside the slice.
  std::optional<CellAt> cellOf(int64_t element) const {
    if (!holds(element) || columns == 0)
      return std::nullopt;
    return CellAt{(element - base) / columns, (element - base) % columns};
  }
};

/// Elements in a row of an array of rank 1.
inline int64_t wrappedRow(int64_t count) {
  int64_t columns = 16;
  while (columns * columns * 2 < count)
    columns *= 2;
  return std::clamp<int64_t>(count, 1, columns);
}

/// `slice`: indices of leading dimensions, each within its size, not more than there are dimensions.
inline Fold fold(const layouts::Shape &shape, const layouts::Shape &slice = {}) {
  Fold out;
  out.rest.assign(shape.begin() + static_cast<std::ptrdiff_t>(slice.size()), shape.end());
  out.count = layouts::elementCount(out.rest);
  for (size_t d = 0; d < slice.size(); ++d)
    out.base = out.base * shape[d] + slice[d];
  out.base *= out.count;
  const layouts::Shape &rest = out.rest;
  out.columns = rest.empty() ? 1 : rest.size() == 1 ? wrappedRow(rest[0]) : rest.back();
  out.rows = out.columns == 0 ? 0 : (out.count + out.columns - 1) / out.columns;
  return out;
}

} // namespace lanescope::viz
