// The window's content without the window: models, the worker that draws pictures, and one frame of Dear ImGui.
//
//   Workspace workspace(host, theme, textures);
//   workspace.update();            // takes what the host and the worker have ready
//   workspace.draw(1600, 1000);    // between ImGui::NewFrame() and ImGui::Render()
//
// The window (Window.cpp) gives it a backend; tests draw frames without one.
#pragma once

#include "viz/gui/window/Views.h"

namespace lanescope::viz {

class Workspace {
public:
  Workspace(Host &host, Theme &theme, Textures &textures);

  Models models;
  Requests requests;
  Host &host;
  Theme &theme;
  Textures &textures;
  CanvasPlace place; // of the front view's canvas, in the last frame
  PanePlaces places; // of the explorer's pictures

  void open(const std::string &path);
  void show(const ShowRequest &request);
  void bringToFront(ViewId id) { models.front = id; }

  /// True when something changed.
  bool update();
  /// Work is queued or running somewhere: a screenshot should wait.
  bool pending() const;
  void draw(float width, float height);

  /// Wanted by the toolbar or a script; the window applies it between frames (fonts may have to be loaded again).
  bool wantDark = true;
  float wantScale = 1;
  /// All text that the front view and the console say, for a script's `expect`.
  std::string readableText() const;

private:
  void take(HostEvent &event);
  /// Someone asks for the list of keys: F1, or `?` where it is not part of a text.
  bool helpWanted();
  void drawToolbar();
  void drawStatusLine(const ViewEntry &front);
  const ViewEntry &frontEntry() const;

  bool helpFromConsole_ = false;                  // the list of keys was opened while the console had the keyboard
  float filesWidth_ = 230, consoleShare_ = 0.19f; // of the splits; pixels at scale 1, and of the height
};

} // namespace lanescope::viz
