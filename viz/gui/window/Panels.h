// The view in front and the panels around it: the list of files, the console and the editor.
#pragma once

#include "viz/host/Arrangement.h"

#include <imgui.h>

#include <array>
#include <optional>

namespace lanescope::viz {

class Workspace;

class Panels {
public:
  explicit Panels(Workspace &workspace) : workspace_(workspace) {}
  void draw();

private:
  void drawView(DockRect rect);
  void drawDock(DockPanel panel, DockRect rect);
  /// The sizes that the panels request in this frame.
  std::array<DockWish, kDockPanels> dockWishes(DockRect area);
  void drawGaps(const DockPlan &plan, DockRect area);
  /// Moves a panel to another side if the user drags it by its first line.
  void dragPanels(const DockPlan &plan, DockRect area);
  void drawFiles();
  void drawEditor();
  /// While the pictures are old, draws a mark over the lower edge of the view.
  void drawOldMark(ImVec2 at, ImVec2 size) const;

  Workspace &workspace_;
  std::optional<DockPanel> dragged_;
};

} // namespace lanescope::viz
