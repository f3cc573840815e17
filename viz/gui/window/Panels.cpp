// The view in front and the panels around it: their places (viz/host/Arrangement.h), sizes, folding and moving.
#include "layouts/support/Text.h"
#include "viz/gui/console/ConsoleView.h"
#include "viz/gui/style/Splitter.h"
#include "viz/gui/window/ParameterStrip.h"
#include "viz/gui/window/ProgramStrip.h"
#include "viz/gui/window/WindowWorkspace.h"

#include <imgui_internal.h>

#include <algorithm>

namespace lanescope::viz {

namespace {

constexpr std::array<DockPanel, kDockPanels> kAllPanels = {DockPanel::Files, DockPanel::Console, DockPanel::Editor};
constexpr float kEnlarged = 0.75f; // relative to the window's height

const char *aboutGap(DockPanel panel) {
  switch (panel) {
  case DockPanel::Files: return "drag: its size; double click or Ctrl+B: without the list";
  case DockPanel::Console: return "drag: its size; double click or Ctrl+J: the entry alone";
  case DockPanel::Editor: return "drag: its size; double click or Ctrl+E: without the editor";
  }
  return "";
}

const char *titleOf(DockPanel panel) {
  return panel == DockPanel::Files ? "Files" : panel == DockPanel::Console ? "Console" : "Editor";
}

/// Draws a child window in the rectangle. A child window uses the spacing that is set when it begins, so the spacing is
/// restored inside of it.
template <typename Draw> void panel(const char *id, DockRect rect, ImU32 ground, const Theme &theme, Draw draw) {
  ImGui::SetCursorScreenPos({rect.x, rect.y});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, ground);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, theme.px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(12), theme.px(10)});
  ImGui::BeginChild(id, {std::max(rect.width, 1.0f), std::max(rect.height, 1.0f)}, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollWithMouse |
                        ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  draw();
  ImGui::EndChild();
}

} // namespace

std::array<DockWish, kDockPanels> Workspace::dockWishes(DockRect area) {
  // In a small window, the editor and the pictures get the room first.
  constexpr float kRoomForFiles = 1000, kRoomForConsole = 560, kRoomForBoth = 440;
  constexpr float kFilesWidth = 230, kFilesHeight = 200, kLeastConsole = 92, kViewBeside = 160;
  constexpr float kConsoleWidth = 0.3f, kConsoleHeight = 0.19f, kLowConsoleHeight = 0.5f, kEditor = 0.42f;
  std::array<DockWish, kDockPanels> out;
  auto within = [](float size, float low, float high) { return std::clamp(size, low, std::max(low, high)); };
  auto chosen = [&](const Dock &dock, float usual) {
    return dock.share() > 0 ? dock.share() * (dock.side == DockSide::Bottom ? area.height : area.width) : usual;
  };

  const Dock &files = dockOf(arrangement.docks, DockPanel::Files);
  bool flat = files.side == DockSide::Bottom;
  bool needed = editorOpen || !openedFiles.empty(); // as long as this is false, the user needs the list to begin
  if (!arrangement.files.decide(needed && area.width < theme.px(kRoomForFiles)))
    out[size_t(DockPanel::Files)].size =
        std::min(chosen(files, theme.px(flat ? kFilesHeight : kFilesWidth)), (flat ? area.height : area.width) * 0.4f);

  const Dock &console = dockOf(arrangement.docks, DockPanel::Console);
  flat = console.side == DockSide::Bottom;
  bool low = area.height < theme.px(editorOpen ? kRoomForConsole : kRoomForBoth);
  if (models.console.takeFocus && !flat && arrangement.console.folded)
    arrangement.console.wish = FoldWish::Open;                           // the user is about to type
  bool answers = models.console.answers() && models.console.fieldActive; // the user is reading the output of an entry
  models.console.folded = arrangement.console.decide(flat && low && !answers && !models.console.enlarged);
  float &size = out[size_t(DockPanel::Console)].size;
  if (flat && models.console.folded)
    size = foldedConsoleHeight(theme);
  else if (flat && models.console.enlarged)
    size = within(area.height * kEnlarged, theme.px(kLeastConsole), area.height - theme.px(kViewBeside));
  else if (flat) // as high as its contents
    size = within(chosen(console, std::min(usedConsoleHeight(models.console, theme),
                                           area.height * (low ? kLowConsoleHeight : kConsoleHeight))),
                  theme.px(kLeastConsole), area.height - theme.px(kViewBeside));
  else if (!models.console.folded)
    size = within(chosen(console, area.width * kConsoleWidth), theme.px(kLeastConsole), area.width * 0.6f);

  DockWish &editor = out[size_t(DockPanel::Editor)];
  editor.there = editorOpen;
  if (editorOpen) {
    const Dock &dock = dockOf(arrangement.docks, DockPanel::Editor);
    flat = dock.side == DockSide::Bottom;
    // The panels share the room that the list leaves to them.
    float beside = flat ? 0 : out[size_t(DockPanel::Files)].size + theme.px(8);
    float room = (flat ? area.height : area.width) - beside;
    editor.size = std::clamp(chosen(dock, room * kEditor), std::min(theme.px(flat ? 120 : 240), room / 2), room * 0.8f);
  }
  return out;
}

void Workspace::drawDock(DockPanel which, DockRect rect) {
  auto draw = [&](const char *id, auto content) { panel(id, rect, theme.panel, theme, content); };
  switch (which) {
  case DockPanel::Files: return draw("files", [&] { drawFiles(); });
  case DockPanel::Editor: return draw("editor", [&] { drawEditor(); });
  case DockPanel::Console:
    return draw("console", [&] {
      ViewContext context = viewContext();
      drawConsoleView(models.console, context);
    });
  }
}

void Workspace::drawView(DockRect rect) {
  panel("view", rect, theme.ground, theme, [&] {
    ViewContext context = viewContext();
    frontEntry().draw(models, places, context);
  });
  drawOldMark({rect.x, rect.y}, {rect.width, rect.height});
}

void Workspace::drawGaps(const DockPlan &plan, DockRect area) {
  for (DockPanel which : kAllPanels) {
    DockRect gap = plan.gaps[size_t(which)], rect = plan.panels[size_t(which)];
    if (gap.width <= 0 || gap.height <= 0)
      continue;
    ImGui::SetCursorScreenPos({gap.x, gap.y});
    ImGui::PushID(int(which));
    SplitterEvents events = splitter("gap", {gap.width, gap.height}, aboutGap(which), theme);
    ImGui::PopID();
    Folding *folding = which == DockPanel::Files     ? &arrangement.files
                       : which == DockPanel::Console ? &arrangement.console
                                                     : nullptr;
    if (events.fold && folding)
      folding->toggle();
    else if (events.fold)
      editorOpen = false;
    if (events.moved.x == 0 && events.moved.y == 0)
      continue;
    Dock &dock = dockOf(arrangement.docks, which);
    bool flat = dock.side == DockSide::Bottom;
    if (folding)
      folding->wish = FoldWish::Open;
    if (which == DockPanel::Console)
      models.console.enlarged = false; // from now on, it has the size to which the user has dragged it
    float size = flat ? rect.height : rect.width;
    (flat ? dock.height : dock.width) = draggedShare(dock.side, size, events.moved.x, events.moved.y, area);
  }
}

void Workspace::dragPanels(const DockPlan &plan, DockRect area) {
  ImVec2 at = ImGui::GetIO().MousePos, from = ImGui::GetIO().MouseClickedPos[0];
  float line = ImGui::GetFrameHeight() + theme.px(10); // the panel's first line with the margin above it
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsAnyItemHovered() && !ImGui::IsAnyItemActive() &&
      !models.palette.open && !models.showKeys && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
    dragged_.reset();
    for (DockPanel which : kAllPanels) {
      DockRect head = plan.panels[size_t(which)];
      head.height = std::min(head.height, line);
      if (head.contains(at.x, at.y))
        dragged_ = which;
    }
  }
  if (!dragged_)
    return;
  bool far = std::abs(at.x - from.x) + std::abs(at.y - from.y) > theme.px(24);
  std::optional<DockSide> side = far ? dropSide(area, at.x, at.y) : std::nullopt;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    if (!far)
      return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (side) {
      DockRect drop = dropRect(area, *side);
      ImDrawList &list = *ImGui::GetForegroundDrawList();
      ImVec2 begin{drop.x, drop.y}, end{drop.x + drop.width, drop.y + drop.height};
      list.AddRectFilled(begin, end, (theme.accent & 0x00FFFFFF) | 0x50000000, theme.px(6));
      list.AddRect(begin, end, theme.accent, theme.px(6), 0, theme.px(2));
    }
    ImGui::SetTooltip("%s", side ? text(titleOf(*dragged_), ": to the ", name(*side)).c_str() : "drop it at a side");
    return;
  }
  if (side)
    moveDock(arrangement.docks, *dragged_, *side);
  dragged_.reset();
}

void Workspace::drawPanels() {
  float gap = theme.px(8), status = theme.small->FontSize + theme.px(8);
  ParameterEvents parameters = drawParameters(live, theme);
  arrayFields_ = std::move(parameters.arrays);
  if (parameters.wantsFile) {
    fileFor = parameters.wantsFile;
    togglePalette(*this, PaletteModel::Mode::Files);
  }
  if (models.program)
    drawProgram(*models.program, host, theme);
  ImVec2 corner = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  DockRect area{corner.x, corner.y, std::max(space.x, 1.0f), std::max(space.y - status, 1.0f)};
  DockPlan plan = planDocks(arrangement.docks, dockWishes(area), area, gap);
  for (const DockPanel which : kAllPanels)
    if (DockRect rect = plan.panels[size_t(which)]; rect.width > 0 && rect.height > 0)
      drawDock(which, rect);
  drawView(plan.view);
  drawGaps(plan, area);
  dragPanels(plan, area);
  ImGui::SetCursorScreenPos({area.x, area.y + area.height + ImGui::GetStyle().ItemSpacing.y});
}

} // namespace lanescope::viz
