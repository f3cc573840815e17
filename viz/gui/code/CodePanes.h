// Divides the room among the open texts and draws one of them.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/code/CodeModel.h"

namespace lanescope::viz {

struct CodeGrid {
  int columns = 1, rows = 1;
  // One text at a time, because too few characters of a line would be visible side by side.
  bool tabs = false;
};

/// Divides `width` by `height` pixels among `count` texts with `gap` between them, so that each has enough of both.
/// Texts are side by side if the choice makes no difference. Tabs if a text would be narrower or lower than the least.
CodeGrid codeGrid(int count, float width, float height, float gap, float leastWidth, float leastHeight);

/// Draws one page with its title, margin and text in `size` pixels. True while the pointer is on one of its lines.
bool drawCodePane(CodeModel &model, size_t page, ImVec2 size, ViewContext &context);

} // namespace lanescope::viz
