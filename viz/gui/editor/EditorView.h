// The editor, drawn.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/editor/EditorModel.h"

namespace lanescope::viz {

/// What the person asked of whoever keeps the files.
struct EditorWishes {
  bool save = false, run = false, close = false, takeTheirs = false, keepMine = false;
  bool switchLive = false; // running while one types, or not
};

/// `live`: the text is run while it is typed.
EditorWishes drawEditorView(EditorModel &model, bool live, ViewContext &context);

} // namespace lanescope::viz
