// The window's content without the window: models, the worker that draws pictures, and one frame of Dear ImGui.
//
//   Workspace workspace(host, theme, textures);
//   workspace.update();            // takes what the host and the worker have ready
//   workspace.draw(1600, 1000);    // between ImGui::NewFrame() and ImGui::Render()
//
// The window (Window.cpp) gives it a backend; tests draw frames without one.
#pragma once

#include "viz/gui/window/LiveFiles.h"
#include "viz/gui/window/ParameterStrip.h"
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
  CanvasPlace place; // of the front view's canvas, in the last frame
  PanePlaces places; // of the explorer's pictures
  LiveFiles live;    // after what it uses

  /// A file of any kind; a workspace's becomes this one.
  void open(const std::string &path);
  /// A file that is dropped at a point: a `.npy` on an array of a launch becomes that array, others are opened.
  void drop(const std::string &path, float x, float y);
  /// `again`: of a file that is open, so that what is in front stays there.
  void show(const ShowRequest &request, bool again = false);
  void bringToFront(ViewId id) { models.front = id; }

  /// True when something changed.
  bool update();
  /// Writes the workspace to a file; what came of it is said in the console.
  void save(const std::string &path);
  void toggleEditor();
  /// Work is queued or running somewhere: a screenshot should wait.
  bool pending() const;
  void draw(float width, float height);

  /// Wanted by the toolbar or a script; the window applies it between frames (fonts may have to be loaded again).
  bool wantDark = true;
  float wantScale = 1;
  Arrangement arrangement; // of panels and side bars
  bool editorOpen = false;
  /// What stands beside the view in front.
  SideBar &side();
  /// The views as their tabs stand.
  std::vector<const ViewEntry *> tabs() const;
  void moveTab(ViewId id, int places);
  std::deque<std::string> toOpen;          // files, one after another
  std::optional<WorkspaceState> restoring; // when they are open
  std::optional<size_t> fileFor;           // the parameter that takes the `.npy` file which is opened next
  std::vector<std::string> openedFiles;    // the last few, the newest last: what a workspace opens again
  KeptState kept;                          // of the last session
  std::string openProblem;                 // why the last open() failed; empty: it has not, so far
  /// All text that the front view and the console say, for a script's `expect`.
  std::string readableText() const;

private:
  /// Shows a line of the source, "x.py:12", where its text is open.
  void showPlace(const std::string &place);
  /// The line of the code view that names the region of a trace.
  void showRegion(const std::string &name);
  void take(HostEvent &event);
  /// A file that runs and shows no trace: the trace view says whose trace it still has.
  void sayOtherTrace(const Opened &opened);
  void showView(const ViewRequest &request, bool again);
  void showTrace(const TraceRequest &request, bool again);
  /// Someone asks for the list of keys: F1, or `?` where it is not part of a text.
  bool helpWanted();
  ViewContext viewContext();
  void drawToolbar();
  void drawTabs();
  void drawStatusLine(const ViewEntry &front);
  const ViewEntry &frontEntry() const;

  /// What the code view lights up, in the trace; the line of a dump's operation, in its module, and the other way
  /// round.
  void linkViews();

  /// Ctrl+B: the list of files; Ctrl+J: the console.
  void foldByKeys();
  /// Escape closes a list that is open, and does nothing else then.
  static void closeListsByKey();
  /// Running, opening, saving, the editor.
  void actByKeys();
  /// The view in front and the panels around it (Panels.cpp).
  void drawPanels();
  void drawView(DockRect rect);
  void drawDock(DockPanel panel, DockRect rect);
  /// What the panels want of the area in this frame.
  std::array<DockWish, kDockPanels> dockWishes(DockRect area);
  void drawGaps(const DockPlan &plan, DockRect area);
  /// A panel that is dragged by its first line to another side.
  void dragPanels(const DockPlan &plan, DockRect area);
  void drawFiles();
  void drawEditor();
  /// Over the view's lower edge while its pictures are old.
  void drawOldMark(ImVec2 at, ImVec2 size) const;

  bool traceShown_ = false;      // since a file was opened last
  size_t linkedRow_ = 0;         // of the dump, when views were linked last
  CodePlace linkedLine_;         // likewise, the pinned line
  bool helpFromConsole_ = false; // the list of keys was opened while the console had the keyboard
  std::string shownView_;        // what the snippet showed last
  std::vector<ParameterEvents::ArrayField> arrayFields_; // in the last frame
  std::optional<DockPanel> dragged_;
};

} // namespace lanescope::viz
