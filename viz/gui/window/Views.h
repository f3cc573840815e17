// The list of views. A view is a drawing function over Models, in a file of its own; adding one is a line in Views.cpp.
#pragma once

#include "viz/gui/window/Models.h"
#include "viz/gui/canvas/SceneCanvas.h"
#include "viz/gui/canvas/Textures.h"
#include "viz/gui/style/Theme.h"

namespace lanescope::viz {

struct ViewContext {
  Models &models;
  Requests &requests;
  Host &host;
  const Theme &theme;
  Textures &textures;
  CanvasPlace &place;                      // of the trace's bars
  std::array<CanvasPlace, kPanes> &places; // of the explorer's pictures
  bool pointerOnPicture = false;           // of the explorer, in this frame
};

struct ViewEntry {
  ViewId id;
  const char *name;  // in scripts
  const char *title; // on its tab
  const char *hint;  // what mouse and keys do, in the status line
  void (*draw)(ViewContext &);
};

const std::vector<ViewEntry> &views();

// One file each.
void drawExplorerView(ViewContext &context);
void drawExplorerSide(ExplorerModel &model, ViewContext &context); // what stands beside its pictures
void drawTimelineView(ViewContext &context);
void drawCodeView(ViewContext &context);
void drawConsoleView(ViewContext &context);
void drawFilesView(ViewContext &context);

/// Every key that the window knows, in a box over it.
void drawKeys(bool &open, const Theme &theme);
/// What it says.
std::string keysText();

} // namespace lanescope::viz
