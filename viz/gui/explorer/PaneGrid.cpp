#include "viz/gui/explorer/PaneGrid.h"

#include <cfloat>
#include <cmath>

namespace lanescope::viz {

PaneGrid paneGrid(int count, float width, float height, float gap, float least) {
  constexpr float kSquare = 1.25f; // a picture with its ticks is slightly wider than high
  PaneGrid best;
  float oddness = FLT_MAX;
  bool fits = false;
  for (int columns = 1; columns <= count; ++columns) {
    int rows = (count + columns - 1) / columns;
    float w = (width - gap * float(columns - 1)) / float(columns), h = (height - gap * float(rows - 1)) / float(rows);
    bool large = w >= least && h >= least;
    float odd = std::abs(std::log(w / h / kSquare)) + float(rows * columns - count) / float(count);
    if (!(w > 0 && h > 0) || large < fits || (large == fits && odd >= oddness))
      continue;
    fits = large, oddness = odd;
    best = {columns, rows};
  }
  if (!fits && count > 1)
    return {1, 1, true};
  return best;
}

} // namespace lanescope::viz
