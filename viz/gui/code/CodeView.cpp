// The code view, which shows texts side by side. The line under the pointer is lit in all of them.
#include "viz/gui/code/CodeView.h"

#include "viz/gui/code/CodePanes.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Splitter.h"
#include "viz/gui/style/Widgets.h"

#include <algorithm>

namespace lanescope::viz {

namespace {

constexpr float kLeastWidth = 250, kLeastHeight = 110; // pixels; one text
// In pixels: the width of the side bar, and the smallest width of the view with which the side bar is shown.
constexpr float kSideWidth = 330, kSideFrom = 900;

void drawPageButtons(CodeModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  for (size_t i = 0; i < model.pages().size(); ++i) {
    const std::string &title = model.pages()[i].title;
    ImGui::PushID(static_cast<int>(i));
    bool open = model.isOpen(i);
    if (i > 0 && ImGui::GetItemRectMax().x + theme.px(4) + buttonWidth(title.c_str()) <
                     ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x)
      ImGui::SameLine(0, theme.px(4));
    else if (i == 0)
      flow(buttonWidth(title.c_str()), theme);
    if (toggle(title.c_str(), open, theme))
      model.open(i, open);
    ImGui::PopID();
  }
  if (!model.onDemand().empty()) {
    flow(buttonWidth(model.onDemand().c_str()), theme);
    if (ImGui::Button(model.onDemand().c_str()))
      model.makeOnDemand(context.host);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", "made when you ask for it, because that takes a moment");
  }
}

void drawCostChoice(CodeModel &model, const Theme &theme) {
  const std::vector<core::CostColumn> &columns = model.costColumns();
  if (columns.empty())
    return;
  model.costColumn = std::min(model.costColumn, columns.size() - 1);
  const char *shown = model.showCosts ? columns[model.costColumn].many.c_str() : "none";
  float width = theme.px(190);
  captionInFlow("Cost", width, theme);
  ImGui::SetNextItemWidth(width);
  if (!ImGui::BeginCombo("##cost", shown))
    return;
  if (ImGui::Selectable("none", !model.showCosts))
    model.showCosts = false;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (ImGui::Selectable(columns[i].many.c_str(), model.showCosts && i == model.costColumn))
      model.costColumn = i, model.showCosts = model.costChosen = true;
    if (ImGui::IsItemHovered())
      tip(columns[i].about, theme);
  }
  ImGui::EndCombo();
}

/// Draws tabs with the names of the open texts, if only one of them is drawn.
void drawTabs(CodeModel &model, const Theme &theme) {
  bool first = true;
  for (size_t page : model.openPages()) {
    if (!first)
      flow(buttonWidth(model.pages()[page].title.c_str()), theme);
    first = false;
    ImGui::PushID(static_cast<int>(page));
    bool front = page == model.front();
    if (toggle((model.pages()[page].title + "##tab").c_str(), front, theme))
      model.bringToFront(page);
    ImGui::PopID();
  }
}

void drawPanes(CodeModel &model, ViewContext &context) {
  std::vector<size_t> open = model.openPages();
  float gap = context.theme.px(10);
  ImVec2 size = ImGui::GetContentRegionAvail();
  CodeGrid grid = codeGrid(static_cast<int>(open.size()), size.x, size.y, gap, context.theme.px(kLeastWidth),
                           context.theme.px(kLeastHeight));
  if (grid.tabs) {
    drawTabs(model, context.theme);
    for (size_t page : open)
      model.drawn(page) = {};
    open = {model.front()};
    size = ImGui::GetContentRegionAvail();
  }
  ImVec2 corner = ImGui::GetCursorScreenPos();
  DockRect area{corner.x, corner.y, size.x, size.y};
  auto count = static_cast<int>(open.size());
  GridShares &shares = context.arranged.grid;
  shares.fit(grid.columns, grid.rows);
  bool pointed = false;
  for (int i = 0; i < count; ++i) {
    DockRect rect = shares.rectOf(i, count, area, gap);
    ImGui::SetCursorScreenPos({rect.x, rect.y});
    pointed |= drawCodePane(model, open[size_t(i)], {std::max(rect.width, 1.0f), std::max(rect.height, 1.0f)}, context);
  }
  drawGridGaps(shares, count, area, gap, context.theme);
  if (!pointed)
    model.hover({});
}

/// Handles the keys for the front page, while no text field has the keyboard.
void handleKeys(CodeModel &model, SideBar &side) {
  const ImGuiIO &io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyAlt)
    return;
  if (io.KeyCtrl) {
    if (ImGui::IsKeyPressed('C', false) && model.pointed().some())
      ImGui::SetClipboardText(model.litText(model.front()).c_str());
    return;
  }
  auto pressed = [](int key) { return ImGui::IsKeyPressed(key, true); };
  auto page = static_cast<int>(std::max(1u, model.inSight(model.front()).second - model.inSight(model.front()).first));
  constexpr int kFar = INT32_MAX / 2;
  const std::pair<int, int> moves[] = {{kKeyUp, io.KeyShift ? -8 : -1},
                                       {kKeyDown, io.KeyShift ? 8 : 1},
                                       {kKeyPageUp, -page},
                                       {kKeyPageDown, page},
                                       {kKeyHome, -kFar},
                                       {kKeyEnd, kFar}};
  for (auto [key, lines] : moves)
    if (pressed(key)) {
      model.restingPointer.emplace(io.MousePos.x, io.MousePos.y);
      model.movePin(lines);
    }
  if (pressed(kKeyPeriod))
    model.showNextLit(model.front(), 1);
  if (pressed(kKeyComma))
    model.showNextLit(model.front(), -1);
  if (pressed(kKeyTab))
    model.cycle(io.KeyShift ? -1 : 1);
  if (pressed(kKeyEscape))
    model.pin({});
  if (pressed('I'))
    side.folding.toggle();
  for (size_t i = 0; i < std::min<size_t>(model.pages().size(), 9); ++i)
    if (pressed('1' + int(i)))
      model.open(i, !model.isOpen(i));
}

} // namespace

std::optional<ViewSpec> drawCodeView(CodeModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  if (model.pages().empty()) {
    wrapped(
        "Open a snippet, a PTX file or a dump from the list on the left: its text appears here, with the IR, the PTX "
        "and the machine code of its kernels beside it. The line under the pointer lights up in all of them.",
        theme.faint);
    context.place = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
    return std::nullopt;
  }
  handleKeys(model, context.arranged.side);
  ImGui::AlignTextToFramePadding();
  heading(model.title.c_str(), theme);
  drawPageButtons(model, context);
  drawCostChoice(model, theme);
  flow(buttonWidth("Details"), theme);
  bool beside = !context.arranged.side.folding.folded;
  if (toggle("Details", beside, theme))
    context.arranged.side.folding.toggle();
  float width = ImGui::GetContentRegionAvail().x;
  context.arranged.side.folding.decide(width < theme.px(kSideFrom));
  std::optional<ViewSpec> wanted;
  withSideBar(
      context.arranged.side, std::min(theme.px(kSideWidth), width * 0.45f), theme.px(12), theme,
      [&](ImVec2 size) {
        ImGui::BeginChild("texts", size, false,
                          ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar |
                              ImGuiWindowFlags_NoNavInputs);
        drawPanes(model, context);
        ImGui::EndChild();
      },
      [&](ImVec2 size) {
        ImGui::BeginChild("details", size, false, ImGuiWindowFlags_NoNavInputs);
        wanted = drawCodeSide(model, context);
        ImGui::EndChild();
      });
  return wanted;
}

} // namespace lanescope::viz
