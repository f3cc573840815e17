#include "layouts/support/Text.h"
#include "viz/gui/window/CommandPalette.h"
#include "viz/gui/window/WindowWorkspace.h"

namespace lanescope::viz {

namespace {

/// Exchanges the front picture or text with a neighbour.
void moveInFront(Workspace &w, int places) {
  if (w.models.front == ViewId::Code)
    return w.models.code.movePage(w.models.code.front(), places);
  w.bringToFront(ViewId::Layout);
  w.models.explorer.movePane(w.models.explorer.front, places);
}

} // namespace

void addArranging(std::vector<PaletteEntry> &out) {
  auto add = [&](std::string name, std::string about, std::function<void(Workspace &)> run) {
    out.push_back({"action", std::move(name), std::move(about), std::move(run)});
  };
  for (auto [panel, title] :
       {std::pair(DockPanel::Files, "List of files"), {DockPanel::Console, "Console"}, {DockPanel::Editor, "Editor"}})
    for (DockSide side : {DockSide::Left, DockSide::Right, DockSide::Bottom})
      add(text(title, ": ", name(side)), "where it stands; again: outside of the other panels",
          [panel, side](Workspace &w) { moveDock(w.arrangement.docks, panel, side); });
  add("Side bar: other side", "what stands beside the view's pictures, left or right of them",
      [](Workspace &w) { w.side().left = !w.side().left; });
  add("Tab of the view: left", "before its neighbour", [](Workspace &w) { w.moveTab(w.models.front, -1); });
  add("Tab of the view: right", "behind its neighbour", [](Workspace &w) { w.moveTab(w.models.front, 1); });
  add("Picture: before its neighbour", "the one in front; in the code view its text",
      [](Workspace &w) { moveInFront(w, -1); });
  add("Picture: behind its neighbour", "the one in front; in the code view its text",
      [](Workspace &w) { moveInFront(w, 1); });
  add("Usual arrangement", "panels, side bars, tabs, pictures and texts as they were at first", [](Workspace &w) {
    w.arrangement = {};
    w.models.code.order.clear();
    w.models.explorer.setPaneOrder(ExplorerModel().paneOrder());
  });
}

} // namespace lanescope::viz
