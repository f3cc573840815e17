// What keys do in the editor.
#pragma once

#include "viz/gui/editor/EditorModel.h"

namespace lanescope::viz {

/// What a key asked of whoever keeps the file, or of the view.
struct EditorKeys {
  bool save = false, run = false;
  bool leave = false; // the keyboard goes to the pictures
};

/// Performs this frame's keys and characters. `page`: lines of a page.
EditorKeys editorKeys(EditorModel &model, Host &host, int64_t page);

} // namespace lanescope::viz
