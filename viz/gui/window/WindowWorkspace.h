// The content of the window without the window itself: models, the worker that draws pictures, and one frame of Dear
// ImGui.
//
//   Workspace workspace(host, theme, textures);
//   workspace.update();            // takes finished results of the host and the worker
//   workspace.draw(1600, 1000);    // between ImGui::NewFrame() and ImGui::Render()
//
// The window (Window.cpp) adds a backend. Tests draw frames without one.
#pragma once

#include "viz/gui/debugger/DebuggerPlace.h"
#include "viz/gui/window/LiveFiles.h"
#include "viz/gui/window/Panels.h"
#include "viz/gui/window/ParameterStrip.h"
#include "viz/gui/window/ViewLinks.h"
#include "viz/gui/window/Views.h"
#include "viz/host/WorkspaceState.h"

#include <deque>

namespace lanescope::viz {

class Workspace {
public:
  Workspace(Host &host, Theme &theme, Textures &textures);

  Models models;
  Requests requests;
  Host &host;
  Theme &theme;
  Textures &textures;
  CanvasPlace place; // the canvas of the view in front, in the last frame
  PanePlaces places; // the explorer's pictures
  LiveFiles live;    // declared after the members that it uses

  /// Opens a file of any kind. A workspace file replaces this workspace's state.
  void open(const std::string &path);
  /// Handles a file that was dropped at a point. If a `.npy` file is dropped on an array of a launch, it becomes that
  /// array. All other files are opened.
  void drop(const std::string &path, float x, float y);
  /// The place, in the last frame, of the field for a launch's array. Files can be dropped there. Null if there is no
  /// such field.
  const ParameterEvents::ArrayField *arrayField(std::string_view name) const;
  std::vector<ParameterEvents::ArrayField> arrayFields; // the fields of the last frame
  /// Shows what the host requests. `again`: it comes from a file that is already open, so the view in front stays in
  /// front.
  void show(const ShowRequest &request, bool again = false);
  void bringToFront(ViewId id) { models.front = id; }

  /// Called each frame. True if something changed.
  bool update();
  /// Writes the workspace to a file. The console reports the outcome.
  void save(const std::string &path);
  void toggleEditor();
  /// True while work is queued or running. A screenshot should then wait.
  bool pending() const;
  void draw(float width, float height);

  /// The toolbar or a script sets this. The window applies it between two frames, because it may have to load the fonts
  /// again.
  bool wantDark = true;
  float wantScale = 1;
  Arrangement arrangement; // the places of panels and side bars
  bool editorOpen = false;
  const ViewEntry &frontEntry() const;
  ViewContext viewContext();
  /// The side bar beside the view in front.
  SideBar &side();
  /// The views in the order of their tabs.
  std::vector<const ViewEntry *> tabs() const;
  void moveTab(ViewId id, int places);
  std::deque<std::string> toOpen;          // files, opened one after another
  std::deque<DebuggerStep> runSteps;       // to the place of a link, once its run is in the debugger
  std::optional<WorkspaceState> restoring; // to be restored once its files are open
  std::optional<size_t> fileFor;           // the parameter that gets the `.npy` file which is opened next
  std::vector<std::string> openedFiles;    // the last few files, newest last, which a saved workspace opens again
  KeptState kept;                          // the state that the last session has kept
  std::string openProblem;                 // the reason why the last open() failed; empty if it succeeded
  /// All text of the view in front and of the console, for a script's `expect`.
  std::string readableText() const;

private:
  void take(HostEvent &event);
  /// If the opened file runs without showing a trace, notes in the trace view which file its trace is from.
  void sayOtherTrace(const Opened &opened);
  void showView(const ViewRequest &request, bool again);
  void showTrace(const TraceRequest &request, bool again);
  /// True if the user asks for the list of keys: F1, or `?` where it is not part of a text.
  bool helpWanted();
  void drawToolbar();
  void drawTabs();
  void drawStatusLine(const ViewEntry &front);

  /// Ctrl+B folds the list of files, Ctrl+J the console, Ctrl+I the side bar.
  void foldByKeys();
  /// Handles Escape: it closes an open list, and then does nothing else.
  static void closeListsByKey();
  /// Handles the keys for running, opening, saving and the editor.
  void actByKeys();

  bool traceShown_ = false;      // a trace was shown since the last file was opened
  bool helpFromConsole_ = false; // the list of keys was opened while the console had the keyboard
  std::string shownView_;        // the snippet's last picture
  Panels panels_{*this};
  ViewLinks links_{models, requests};
};

} // namespace lanescope::viz
