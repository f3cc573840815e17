// How open texts share their room, and one of them drawn.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/code/CodeModel.h"

namespace lanescope::viz {

struct CodeGrid {
  int columns = 1, rows = 1;
  bool tabs = false; // one text at a time: side by side too few characters of a line would be seen
};

/// For `count` texts in `width` by `height` pixels with `gap` between them: so that each has enough of both, side by
/// side where that is the same. Tabs where one would be narrower or lower than the least.
CodeGrid codeGrid(int count, float width, float height, float gap, float leastWidth, float leastHeight);

/// One page with its title, margin and text, in `size` pixels. True while the pointer is on one of its lines.
bool drawCodePane(CodeModel &model, size_t page, ImVec2 size, ViewContext &context);

} // namespace lanescope::viz
