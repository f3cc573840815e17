// Divides the room among the open pictures.
#pragma once

namespace lanescope::viz {

struct PaneGrid {
  int columns = 1, rows = 1;
  // One picture at a time, because the pictures would be too small side by side.
  bool tabs = false;
};

/// Divides `width` by `height` pixels among `count` pictures with `gap` between them. The columns are chosen so that
/// each picture is nearly square. Tabs if a picture would be narrower or lower than `least`.
PaneGrid paneGrid(int count, float width, float height, float gap, float least);

} // namespace lanescope::viz
