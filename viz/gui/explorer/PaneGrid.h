// Divides the room among the open pictures.
#pragma once

namespace lanescope::viz {

struct PaneGrid {
  int columns = 1, rows = 1;
  // True: one picture at a time, because the pictures would be too small side by side.
  bool tabs = false;
};

/// Divides `width` by `height` pixels among `count` pictures with `gap` between them. The number of columns makes each
/// picture as square as possible. Uses tabs if a picture would be narrower or lower than `least`.
PaneGrid paneGrid(int count, float width, float height, float gap, float least);

} // namespace lanescope::viz
