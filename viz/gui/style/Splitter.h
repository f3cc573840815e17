// Gaps between panels, which the user can drag, and the side bar beside a view's pictures.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/host/Arrangement.h"

#include <algorithm>

namespace lanescope::viz {

struct SplitterEvents {
  ImVec2 moved{0, 0}; // pixels, while the gap is dragged
  bool fold = false;  // a double click
};
/// Draws a gap of `size` pixels at the cursor. The user drags it across its longer side. `about` is its tooltip.
SplitterEvents splitter(const char *id, ImVec2 size, const char *about, const Theme &theme);

/// Draws `main(size)` and, at the bar's side of it, `side(size)` in the remaining room. The user can drag the gap
/// between them, and a double click folds the bar. `usual` is the width of the bar in pixels until the user chooses
/// another one.
template <typename Main, typename Side>
void withSideBar(SideBar &bar, float usual, float gap, const Theme &theme, Main main, Side side) {
  ImVec2 at = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  SidePlan plan = planSide(bar, usual, space.x, gap);
  ImGui::SetCursorScreenPos({at.x + plan.mainX, at.y});
  main(ImVec2{std::max(plan.main, 1.0f), std::max(space.y, 1.0f)});
  ImGui::SetCursorScreenPos({at.x + plan.gapX, at.y});
  SplitterEvents events = splitter("split side", {gap, std::max(space.y, 1.0f)},
                                   "drag: its width; double click or Ctrl+I: without what is beside", theme);
  if (events.fold)
    bar.folding.toggle();
  if (events.moved.x != 0) {
    bar.folding.wish = FoldWish::Open;
    float width = plan.side + (bar.left ? events.moved.x : -events.moved.x);
    bar.share = std::clamp(width / std::max(space.x, 1.0f), kLeastShare, kMostShare);
  }
  if (plan.side <= 0)
    return;
  ImGui::SetCursorScreenPos({at.x + plan.sideX, at.y});
  side(ImVec2{plan.side, std::max(space.y, 1.0f)});
}

/// Draws the gaps between the `count` pictures of a grid in `area`. Dragging a gap moves it.
void drawGridGaps(GridShares &grid, int count, DockRect area, float gap, const Theme &theme);

} // namespace lanescope::viz
