// Divides the room among the open texts, and draws a text.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/code/CodeModel.h"

namespace lanescope::viz {

struct CodeGrid {
  int columns = 1, rows = 1;
  // True: one text at a time, because too few characters of a line would be visible side by side.
  bool tabs = false;
};

/// Divides `width` by `height` pixels among `count` texts with `gap` between them, so that each text has enough of
/// both. If it makes no difference, the texts are side by side. Uses tabs if a text would be narrower than `leastWidth`
/// or lower than `leastHeight`.
CodeGrid codeGrid(int count, float width, float height, float gap, float leastWidth, float leastHeight);

/// Draws one page with its title, margin and text in `size` pixels. True while the pointer is on one of its lines.
bool drawCodePane(CodeModel &model, size_t page, ImVec2 size, ViewContext &context);

} // namespace lanescope::viz
