// The effects of keys in the editor.
#pragma once

#include "viz/gui/editor/EditorModel.h"

namespace lanescope::viz {

/// The requests that a key makes to the owner of the file or to the view.
struct EditorKeys {
  bool save = false, run = false;
  bool leave = false; // the pictures get the keyboard
};

/// Handles this frame's keys and characters. `page` is the number of lines of a page.
EditorKeys editorKeys(EditorModel &model, Host &host, int64_t page);

} // namespace lanescope::viz
