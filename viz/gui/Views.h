// The list of views. A view is a drawing function over Models, in a file of its own; adding one is a line in Views.cpp.
#pragma once

#include "viz/gui/Models.h"
#include "viz/gui/SceneCanvas.h"
#include "viz/gui/Theme.h"

namespace lanescope::viz {

struct ViewContext {
  Models &models;
  Requests &requests;
  Host &host;
  const Theme &theme;
  CanvasPlace &place; // of the front view's picture
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
void drawLayoutView(ViewContext &context);
void drawTmemView(ViewContext &context);
void drawSmemView(ViewContext &context);
void drawTimelineView(ViewContext &context);
void drawCodeView(ViewContext &context);
void drawConsoleView(ViewContext &context);
void drawFilesView(ViewContext &context);

/// Side panel to the right of a picture: legend, words about what is under the pointer, notes.
void drawInspector(const SceneModel &picture, const std::vector<std::string> &words, const Theme &theme);
/// To the right of a picture's title: show all of it, or as large as labels need.
void pictureButtons(SceneModel &picture, const Theme &theme);
constexpr float kInspectorWidth = 330;

} // namespace lanescope::viz
