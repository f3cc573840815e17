// The code view: the opened snippet and what became of it, with line numbers.
#include "viz/gui/files/CodeView.h"

#include "viz/gui/style/Widgets.h"

namespace lanescope::viz {

void drawCodeView(CodeModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  if (model.pages().empty()) {
    wrapped(
        "Open a snippet from the list on the left: its text appears here, and the IR and PTX of its kernels in tabs "
        "beside it.",
        theme.faint);
    context.place = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
    return;
  }
  ImGui::AlignTextToFramePadding();
  heading(model.title.c_str(), theme);
  for (size_t i = 0; i < model.pages().size(); ++i) {
    ImGui::SameLine(0, i ? theme.px(2) : theme.px(18));
    bool front = i == model.front;
    if (front) {
      ImGui::PushStyleColor(ImGuiCol_Button, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_Text, theme.accentInk);
    }
    if (ImGui::Button((model.pages()[i].title + "##page").c_str()))
      model.front = i;
    if (front)
      ImGui::PopStyleColor(2);
  }
  const CodeModel::Page &page = model.pages()[std::min(model.front, model.pages().size() - 1)];
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.field);
  ImGui::BeginChild(("text" + page.title).c_str(), {0, 0}, false,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_AlwaysUseWindowPadding);
  context.place = {ImGui::GetWindowPos(), ImGui::GetWindowSize()};
  ImGui::PushFont(theme.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, theme.px(2)});
  std::string last = std::to_string(page.lines());
  float gutter = ImGui::CalcTextSize(last.c_str()).x + theme.px(16);
  ImGuiListClipper clipper;
  clipper.Begin(int(page.lines()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImVec2 at = ImGui::GetCursorScreenPos();
      if (page.marked(size_t(i)))
        ImGui::GetWindowDrawList()->AddRectFilled(
            {at.x - theme.px(4), at.y}, {at.x + ImGui::GetContentRegionAvail().x, at.y + ImGui::GetTextLineHeight()},
            (theme.error & 0x00FFFFFF) | 0x40000000);
      std::string number = std::to_string(i + 1);
      ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + gutter - theme.px(16) - ImGui::CalcTextSize(number.c_str()).x);
      ImGui::TextUnformatted(number.c_str());
      ImGui::PopStyleColor();
      ImGui::SameLine(0, theme.px(16));
      std::string_view line = page.line(size_t(i));
      ImGui::TextUnformatted(line.data(), line.data() + line.size());
    }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

} // namespace lanescope::viz
