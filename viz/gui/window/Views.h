// The list of views. A view is a function that draws its model in the room that it gets. A new view needs one line in
// Views.cpp.
#pragma once

#include "viz/gui/explorer/ExplorerView.h"
#include "viz/gui/window/Models.h"

#include <span>

namespace lanescope::viz {

struct ViewEntry {
  ViewId id;
  const char *name;  // the name in scripts
  const char *title; // the title on its tab
  const char *hint;  // the effects of mouse and keys, for the status line
  void (*draw)(Models &, PanePlaces &, ViewContext &);
};

const std::vector<ViewEntry> &views();

struct KeyRow {
  const char *keys, *about;
};
struct KeyList {
  const char *title;
  std::span<const KeyRow> rows;
};
/// All keys of the window, grouped by the part in which they work.
const std::vector<KeyList> &keyLists();

/// Draws these lists in a box over the window.
void drawKeys(bool &open, const Theme &theme);
/// The text in that box.
std::string keysText();

} // namespace lanescope::viz
