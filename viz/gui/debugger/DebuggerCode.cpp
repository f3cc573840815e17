// The code of a stopped run. Breakpoints are in the gutter, and the warps at a line are shown after the line.
#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/style/Widgets.h"

namespace lanescope::viz {

namespace {

/// The warps at each line of the front text.
std::map<uint32_t, std::vector<core::WarpRef>> warpsByLine(const DebugPage *page, bool ptx) {
  std::map<uint32_t, std::vector<core::WarpRef>> out;
  if (page)
    for (const core::WarpPlace &warp : page->warps)
      for (const core::CodePlace &place : warp.places)
        if (uint32_t line = ptx ? place.ptxLine : place.snippetLine; line != 0)
          if (auto &all = out[line]; all.empty() || all.back() != warp.warp)
            all.push_back(warp.warp);
  return out;
}

/// The first breakpoint of each line of the front text.
std::map<uint32_t, const DebugStop *> breaksByLine(const DebugPage *page, bool ptx) {
  std::map<uint32_t, const DebugStop *> out;
  if (page)
    for (const DebugStop &stop : page->stops)
      if (stop.line != 0 && stop.inSnippet != ptx)
        out.try_emplace(stop.line, &stop);
  return out;
}

/// Draws a breakpoint in the gutter. A disabled one is a ring, and one with a condition has a bar in it. A hovered line
/// without a breakpoint gets a faint disc.
void drawDot(ImVec2 middle, const DebugStop *stop, bool hovered, const Theme &theme) {
  ImDrawList *draw = ImGui::GetWindowDrawList();
  float radius = theme.px(5);
  if (!stop && hovered)
    draw->AddCircleFilled(middle, radius, (theme.error & 0x00FFFFFF) | 0x50000000);
  if (!stop)
    return;
  if (stop->enabled)
    draw->AddCircleFilled(middle, radius, theme.error);
  else
    draw->AddCircle(middle, radius, theme.error, 0, theme.px(1.5f));
  if (stop->conditional)
    draw->AddLine({middle.x - radius / 2, middle.y}, {middle.x + radius / 2, middle.y},
                  stop->enabled ? theme.field : theme.error, theme.px(2));
  if (hovered)
    ImGui::SetTooltip("%s%s", stop->words.c_str(), stop->enabled ? "" : ", switched off");
}

/// Draws small squares with the numbers of warps, beginning with those of the focused block. A click focuses the warp.
void drawChips(const std::vector<core::WarpRef> &warps, DebuggerModel &model, ViewContext &context) {
  constexpr size_t kMostChips = 12;
  const Theme &theme = context.theme;
  core::WarpRef focus = model.page()->focus;
  size_t drawn = 0;
  for (core::WarpRef warp : warps) {
    if (warp.block != focus.block)
      continue;
    if (drawn++ == kMostChips)
      break;
    ImGui::SameLine(0, theme.px(3));
    std::string label = text(warp.warp);
    ImVec2 at = ImGui::GetCursorScreenPos(),
           size{ImGui::CalcTextSize(label.c_str()).x + theme.px(8), ImGui::GetTextLineHeight()};
    ImGui::PushID(static_cast<int>(warp.warp));
    if (ImGui::InvisibleButton("warp", size))
      model.setFocus(warp);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", warpWords(*model.page(), warp).c_str());
    ImGui::PopID();
    ImU32 fill = warpInk(warp.warp, theme);
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y}, fill, theme.px(3));
    if (warp == focus)
      ImGui::GetWindowDrawList()->AddRect(at, {at.x + size.x, at.y + size.y}, theme.ink, theme.px(3), 0, theme.px(2));
    ImGui::GetWindowDrawList()->AddText({at.x + theme.px(4), at.y}, Theme::inkOn(fill), label.c_str());
  }
  size_t others = warps.size() - std::min(drawn, kMostChips);
  if (others > 0) {
    ImGui::SameLine(0, theme.px(6));
    ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
    ImGui::TextUnformatted(text("+", others).c_str());
    ImGui::PopStyleColor();
  }
}

} // namespace

void drawDebuggerCode(DebuggerModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  const DebugTarget &target = *model.target();
  const DebugPage *page = model.page();
  if (target.snippet) {
    int front = model.ptxInFront ? 1 : 0;
    if (segmented("text", {"Snippet", "PTX"}, front, theme))
      model.ptxInFront = front == 1;
  }
  const bool ptx = model.ptxInFront || !target.snippet;
  const Source &source = ptx ? *target.ptx : *target.snippet;
  const uint32_t lines = source.lineColumn(static_cast<uint32_t>(source.text().size())).line;
  auto warps = warpsByLine(page, ptx);
  auto breaks = breaksByLine(page, ptx);
  uint32_t here = model.lineInFront(), fault = model.faultLine();

  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.field);
  ImGui::BeginChild(ptx ? "ptx" : "snippet", {0, 0}, false,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PushFont(theme.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, theme.px(2)});
  float height = ImGui::GetTextLineHeightWithSpacing();
  // Key in this child's storage for the page whose line was last scrolled into view.
  static constexpr ImGuiID kShownPage = 1;
  if (int *shown = ImGui::GetStateStorage()->GetIntRef(kShownPage, -1);
      here != 0 && *shown != static_cast<int>(model.pageNumber())) {
    *shown = static_cast<int>(model.pageNumber());
    float top = height * static_cast<float>(here - 1), view = ImGui::GetWindowHeight();
    if (top < ImGui::GetScrollY() + height || top > ImGui::GetScrollY() + view - 4 * height)
      ImGui::SetScrollY(std::max(0.0f, top - view / 3));
  }
  float numbers = ImGui::CalcTextSize(text(lines).c_str()).x, dot = theme.px(18);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      auto line = static_cast<uint32_t>(i + 1);
      ImVec2 at = ImGui::GetCursorScreenPos();
      ImDrawList *draw = ImGui::GetWindowDrawList();
      auto band = [&](ImU32 colour, uint32_t strength) {
        draw->AddRectFilled({at.x - theme.px(4), at.y},
                            {at.x + ImGui::GetWindowWidth() + ImGui::GetScrollX(), at.y + height},
                            (colour & 0x00FFFFFF) | strength << 24);
      };
      if (line == fault)
        band(theme.error, 0x48);
      if (line == here)
        band(theme.accent, 0x40);
      else if (line == model.cursorLine)
        band(theme.rule, 0x60);
      ImGui::PushID(i);
      if (ImGui::InvisibleButton("gutter", {dot + numbers + theme.px(8), ImGui::GetTextLineHeight()})) {
        model.cursorLine = line;
        model.toggleBreakpoint(line, !ptx);
      }
      bool hovered = ImGui::IsItemHovered();
      auto set = breaks.find(line);
      drawDot({at.x + dot / 2, at.y + ImGui::GetTextLineHeight() / 2}, set == breaks.end() ? nullptr : set->second,
              hovered, theme);
      std::string number = text(line);
      draw->AddText({at.x + dot + numbers - ImGui::CalcTextSize(number.c_str()).x, at.y}, theme.faint, number.c_str());
      ImGui::SameLine(0, theme.px(8));
      std::string_view words = source.lineText(line);
      ImGui::TextUnformatted(words.data(), words.data() + words.size());
      if (ImGui::IsItemClicked())
        model.cursorLine = line;
      if (auto found = warps.find(line); found != warps.end())
        drawChips(found->second, model, context);
      ImGui::PopID();
    }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

} // namespace lanescope::viz
