// The list of views. A view is a drawing function over its model, in a room of its own; adding one is a line in
// Views.cpp.
#pragma once

#include "viz/gui/explorer/ExplorerView.h"
#include "viz/gui/window/Models.h"

#include <span>

namespace lanescope::viz {

struct ViewEntry {
  ViewId id;
  const char *name;  // in scripts
  const char *title; // on its tab
  const char *hint;  // what mouse and keys do, in the status line
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
/// Every key that the window knows, by where it works.
const std::vector<KeyList> &keyLists();

/// The same in a box over the window.
void drawKeys(bool &open, const Theme &theme);
/// What it says.
std::string keysText();

} // namespace lanescope::viz
