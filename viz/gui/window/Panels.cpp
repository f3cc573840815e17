// The view in front and the panels around it: their places (viz/host/Arrangement.h), sizes, folding and moving.
#include "viz/gui/window/Panels.h"

#include "layouts/support/Text.h"
#include "viz/gui/console/ConsoleView.h"
#include "viz/gui/editor/EditorView.h"
#include "viz/gui/files/FilesView.h"
#include "viz/gui/style/Splitter.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/window/ParameterStrip.h"
#include "viz/gui/window/ProgramStrip.h"
#include "viz/gui/window/Start.h"
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

std::array<DockWish, kDockPanels> Panels::dockWishes(DockRect area) {
  // In a small window, the editor and the pictures get the room first.
  constexpr float kRoomForFiles = 1000, kRoomForConsole = 560, kRoomForBoth = 440;
  constexpr float kFilesWidth = 230, kFilesHeight = 200, kLeastConsole = 92, kViewBeside = 160;
  constexpr float kConsoleWidth = 0.3f, kConsoleHeight = 0.19f, kLowConsoleHeight = 0.5f, kEditor = 0.42f;
  std::array<DockWish, kDockPanels> out;
  auto within = [](float size, float low, float high) { return std::clamp(size, low, std::max(low, high)); };
  auto chosen = [&](const Dock &dock, float usual) {
    return dock.share() > 0 ? dock.share() * (dock.side == DockSide::Bottom ? area.height : area.width) : usual;
  };

  const Dock &files = dockOf(workspace_.arrangement.docks, DockPanel::Files);
  bool flat = files.side == DockSide::Bottom;
  bool needed = workspace_.editorOpen ||
                !workspace_.openedFiles.empty(); // as long as this is false, the user needs the list to begin
  if (!workspace_.arrangement.files.decide(needed && area.width < workspace_.theme.px(kRoomForFiles)))
    out[size_t(DockPanel::Files)].size = std::min(chosen(files, workspace_.theme.px(flat ? kFilesHeight : kFilesWidth)),
                                                  (flat ? area.height : area.width) * 0.4f);

  const Dock &console = dockOf(workspace_.arrangement.docks, DockPanel::Console);
  flat = console.side == DockSide::Bottom;
  bool low = area.height < workspace_.theme.px(workspace_.editorOpen ? kRoomForConsole : kRoomForBoth);
  if (workspace_.models.console.takeFocus && !flat && workspace_.arrangement.console.folded)
    workspace_.arrangement.console.wish = FoldWish::Open; // the user is about to type
  bool answers = workspace_.models.console.answers() &&
                 workspace_.models.console.fieldActive; // the user is reading the output of an entry
  workspace_.models.console.folded =
      workspace_.arrangement.console.decide(flat && low && !answers && !workspace_.models.console.enlarged);
  float &size = out[size_t(DockPanel::Console)].size;
  if (flat && workspace_.models.console.folded)
    size = foldedConsoleHeight(workspace_.theme);
  else if (flat && workspace_.models.console.enlarged)
    size = within(area.height * kEnlarged, workspace_.theme.px(kLeastConsole),
                  area.height - workspace_.theme.px(kViewBeside));
  else if (flat) // as high as its contents
    size = within(chosen(console, std::min(usedConsoleHeight(workspace_.models.console, workspace_.theme),
                                           area.height * (low ? kLowConsoleHeight : kConsoleHeight))),
                  workspace_.theme.px(kLeastConsole), area.height - workspace_.theme.px(kViewBeside));
  else if (!workspace_.models.console.folded)
    size = within(chosen(console, area.width * kConsoleWidth), workspace_.theme.px(kLeastConsole), area.width * 0.6f);

  DockWish &editor = out[size_t(DockPanel::Editor)];
  editor.there = workspace_.editorOpen;
  if (workspace_.editorOpen) {
    const Dock &dock = dockOf(workspace_.arrangement.docks, DockPanel::Editor);
    flat = dock.side == DockSide::Bottom;
    // The panels share the room that the list leaves to them.
    float beside = flat ? 0 : out[size_t(DockPanel::Files)].size + workspace_.theme.px(8);
    float room = (flat ? area.height : area.width) - beside;
    editor.size = std::clamp(chosen(dock, room * kEditor), std::min(workspace_.theme.px(flat ? 120 : 240), room / 2),
                             room * 0.8f);
  }
  return out;
}

void Panels::drawFiles() {
  ViewContext context = workspace_.viewContext();
  workspace_.models.files.recent = workspace_.live.recent;
  std::vector<StartEntry> starts =
      workspace_.openedFiles.empty() ? startEntries(workspace_) : std::vector<StartEntry>();
  std::vector<FilesAction> actions;
  for (const StartEntry &start : starts)
    actions.push_back({start.title, start.about});
  FilesWish wish = drawFilesView(workspace_.models.files, actions, context);
  if (!wish.open.empty())
    workspace_.open(wish.open);
  if (wish.action)
    starts[*wish.action].run(workspace_);
}

void Panels::drawEditor() {
  ViewContext context = workspace_.viewContext();
  EditorWishes wishes = drawEditorView(workspace_.models.editor, workspace_.live.whileTyping, context);
  if (wishes.save)
    workspace_.live.save();
  if (wishes.run)
    workspace_.live.run();
  if (wishes.takeTheirs)
    workspace_.live.takeTheirs();
  if (wishes.keepMine)
    workspace_.live.keepMine();
  workspace_.live.whileTyping ^= wishes.switchLive;
  workspace_.editorOpen &= !wishes.close;
}

void Panels::drawOldMark(ImVec2 at, ImVec2 size) const {
  if (workspace_.live.old().empty())
    return;
  ImDrawList &list = *ImGui::GetForegroundDrawList();
  float height = ImGui::GetTextLineHeight() + workspace_.theme.px(8);
  ImVec2 end{at.x + size.x, at.y + size.y};
  list.AddRect(at, end, workspace_.theme.warning, workspace_.theme.px(6), 0, workspace_.theme.px(2));
  std::string said =
      elided("old: the last run that succeeded.  " + workspace_.live.old(), size.x - workspace_.theme.px(24));
  float width = ImGui::CalcTextSize(said.c_str()).x + workspace_.theme.px(20);
  ImVec2 corner{end.x - width, end.y - height};
  list.AddRectFilled(corner, end, workspace_.theme.warning, workspace_.theme.px(6));
  list.AddText({corner.x + workspace_.theme.px(10), corner.y + workspace_.theme.px(4)},
               Theme::inkOn(workspace_.theme.warning), said.c_str());
}

void Panels::drawDock(DockPanel which, DockRect rect) {
  auto draw = [&](const char *id, auto content) { panel(id, rect, workspace_.theme.panel, workspace_.theme, content); };
  switch (which) {
  case DockPanel::Files: return draw("files", [&] { drawFiles(); });
  case DockPanel::Editor: return draw("editor", [&] { drawEditor(); });
  case DockPanel::Console:
    return draw("console", [&] {
      ViewContext context = workspace_.viewContext();
      drawConsoleView(workspace_.models.console, context);
    });
  }
}

void Panels::drawView(DockRect rect) {
  panel("view", rect, workspace_.theme.ground, workspace_.theme, [&] {
    ViewContext context = workspace_.viewContext();
    workspace_.frontEntry().draw(workspace_.models, workspace_.places, context);
  });
  drawOldMark({rect.x, rect.y}, {rect.width, rect.height});
}

void Panels::drawGaps(const DockPlan &plan, DockRect area) {
  for (DockPanel which : kAllPanels) {
    DockRect gap = plan.gaps[size_t(which)], rect = plan.panels[size_t(which)];
    if (gap.width <= 0 || gap.height <= 0)
      continue;
    ImGui::SetCursorScreenPos({gap.x, gap.y});
    ImGui::PushID(int(which));
    SplitterEvents events = splitter("gap", {gap.width, gap.height}, aboutGap(which), workspace_.theme);
    ImGui::PopID();
    Folding *folding = which == DockPanel::Files     ? &workspace_.arrangement.files
                       : which == DockPanel::Console ? &workspace_.arrangement.console
                                                     : nullptr;
    if (events.fold && folding)
      folding->toggle();
    else if (events.fold)
      workspace_.editorOpen = false;
    if (events.moved.x == 0 && events.moved.y == 0)
      continue;
    Dock &dock = dockOf(workspace_.arrangement.docks, which);
    bool flat = dock.side == DockSide::Bottom;
    if (folding)
      folding->wish = FoldWish::Open;
    if (which == DockPanel::Console)
      workspace_.models.console.enlarged = false; // from now on, it has the size to which the user has dragged it
    float size = flat ? rect.height : rect.width;
    (flat ? dock.height : dock.width) = draggedShare(dock.side, size, events.moved.x, events.moved.y, area);
  }
}

void Panels::dragPanels(const DockPlan &plan, DockRect area) {
  ImVec2 at = ImGui::GetIO().MousePos, from = ImGui::GetIO().MouseClickedPos[0];
  float line = ImGui::GetFrameHeight() + workspace_.theme.px(10); // the panel's first line with the margin above it
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsAnyItemHovered() && !ImGui::IsAnyItemActive() &&
      !workspace_.models.palette.open && !workspace_.models.showKeys &&
      !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
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
  bool far = std::abs(at.x - from.x) + std::abs(at.y - from.y) > workspace_.theme.px(24);
  std::optional<DockSide> side = far ? dropSide(area, at.x, at.y) : std::nullopt;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    if (!far)
      return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (side) {
      DockRect drop = dropRect(area, *side);
      ImDrawList &list = *ImGui::GetForegroundDrawList();
      ImVec2 begin{drop.x, drop.y}, end{drop.x + drop.width, drop.y + drop.height};
      list.AddRectFilled(begin, end, (workspace_.theme.accent & 0x00FFFFFF) | 0x50000000, workspace_.theme.px(6));
      list.AddRect(begin, end, workspace_.theme.accent, workspace_.theme.px(6), 0, workspace_.theme.px(2));
    }
    ImGui::SetTooltip("%s", side ? text(titleOf(*dragged_), ": to the ", name(*side)).c_str() : "drop it at a side");
    return;
  }
  if (side)
    moveDock(workspace_.arrangement.docks, *dragged_, *side);
  dragged_.reset();
}

void Panels::draw() {
  float gap = workspace_.theme.px(8), status = workspace_.theme.small->FontSize + workspace_.theme.px(8);
  ParameterEvents parameters = drawParameters(workspace_.live, workspace_.theme);
  workspace_.arrayFields = std::move(parameters.arrays);
  if (parameters.wantsFile) {
    workspace_.fileFor = parameters.wantsFile;
    togglePalette(workspace_, PaletteModel::Mode::Files);
  }
  if (workspace_.models.program)
    drawProgram(*workspace_.models.program, workspace_.host, workspace_.theme);
  ImVec2 corner = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  DockRect area{corner.x, corner.y, std::max(space.x, 1.0f), std::max(space.y - status, 1.0f)};
  DockPlan plan = planDocks(workspace_.arrangement.docks, dockWishes(area), area, gap);
  for (const DockPanel which : kAllPanels)
    if (DockRect rect = plan.panels[size_t(which)]; rect.width > 0 && rect.height > 0)
      drawDock(which, rect);
  drawView(plan.view);
  drawGaps(plan, area);
  dragPanels(plan, area);
  ImGui::SetCursorScreenPos({area.x, area.y + area.height + ImGui::GetStyle().ItemSpacing.y});
}

} // namespace lanescope::viz
