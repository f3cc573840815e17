// Lays out an array of any rank on a sheet of rows and columns. Rank 2 does not change. Rank 1 is wrapped into rows of
// 16, or into longer rows for long arrays, so that the sheet is at most twice as high as wide. For higher ranks, the
// leading dimensions are stacked as rows, or some of them are fixed (a slice). A scalar is one cell.
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
  int64_t count = 1;   // number of elements; the last row of a wrapped array may be shorter than the others
  int64_t base = 0;    // the first element, which depends on the slice
  layouts::Shape rest; // the dimensions that are laid out

  /// The element at (row, column); -1 after the end.
  int64_t element(int64_t row, int64_t column) const {
    int64_t index = row * columns + column;
    return index < count ? base + index : -1;
  }
  bool holds(int64_t element) const { return element >= base && element < base + count; }
  /// The cell of an element; nothing if it is outside the slice.
  std::optional<CellAt> cellOf(int64_t element) const {
    if (!holds(element) || columns == 0)
      return std::nullopt;
    return CellAt{(element - base) / columns, (element - base) % columns};
  }
};

/// The row length for an array of rank 1.
inline int64_t wrappedRow(int64_t count) {
  int64_t columns = 16;
  while (columns * columns * 2 < count)
    columns *= 2;
  return std::clamp<int64_t>(count, 1, columns);
}

/// `slice`: indices of leading dimensions, each within its size; at most as many as there are dimensions.
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
