// Draws the editor.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/editor/EditorModel.h"

namespace lanescope::viz {

/// The user's requests to the owner of the files.
struct EditorWishes {
  bool save = false, run = false, close = false, takeTheirs = false, keepMine = false;
  bool switchLive = false; // switches on or off that the text runs while the user types
};

/// Draws the editor. `live`: the text runs while the user types.
EditorWishes drawEditorView(EditorModel &model, bool live, ViewContext &context);

} // namespace lanescope::viz
