// How the open pictures share their room.
#pragma once

namespace lanescope::viz {

struct PaneGrid {
  int columns = 1, rows = 1;
  bool tabs = false; // one picture at a time: side by side they would be too small to read
};

/// For `count` pictures in `width` by `height` pixels, with `gap` between them: columns so that each is not far from
/// square. Tabs where a picture would be narrower or lower than `least`.
PaneGrid paneGrid(int count, float width, float height, float gap, float least);

} // namespace lanescope::viz
