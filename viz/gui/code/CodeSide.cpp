// The bar beside the texts. It shows the costs of the lit lines, the arrays that they make, and the memories that they
// access.
#include "viz/gui/code/CodeView.h"

#include "layouts/support/Text.h"
#include "viz/gui/style/Widgets.h"

#include <algorithm>

namespace lanescope::viz {

namespace {

/// Draws a memory from left to right, with the accessed parts in colour.
void drawMemory(const CodeRequest::Memory &memory, const Theme &theme) {
  wrapped(text(memory.name, ", ", memory.size, " ", memory.unit, "s"), theme.faint);
  ImVec2 at = ImGui::GetCursorScreenPos();
  float width = ImGui::GetContentRegionAvail().x, height = theme.px(16);
  ImDrawList &list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, theme.raised, theme.px(2));
  auto whole = static_cast<float>(std::max<int64_t>(memory.size, 1));
  for (auto [begin, end] : memory.ranges) {
    float x0 = at.x + width * static_cast<float>(begin) / whole, x1 = at.x + width * static_cast<float>(end) / whole;
    list.AddRectFilled({x0, at.y}, {std::max(x1, x0 + 1), at.y + height}, theme.accent);
  }
  ImGui::Dummy({width, height});
}

} // namespace

std::optional<ViewSpec> drawCodeSide(CodeModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  CodePlace at = model.pointed();
  model.drawPicture(theme.dark, context.requests);
  if (!at.some()) {
    wrapped("Point at a line: the lines that belong to it light up in every text. A click pins it, Esc unpins it. This "
            "side shows its cost, the layouts of its arrays and the memory that it touches.",
            theme.faint);
    return std::nullopt;
  }
  heading(text("Line ", at.line, " of ", model.pages()[at.page].title).c_str(), theme);
  for (const std::string &line : model.words())
    wrapped(line, theme.ink);
  for (const std::string &line : model.litWords())
    wrapped(line.substr(line.find(' ') + 1), theme.faint);
  for (const CodeRequest::Memory &memory : model.litMemories())
    drawMemory(memory, theme);
  auto arrays = model.litArrays();
  std::optional<ViewSpec> wanted;
  if (!arrays.empty()) {
    ImGui::Dummy({1, theme.px(4)});
    for (size_t i = 0; i < arrays.size(); ++i) {
      std::string name = arrays[i]->name.empty() ? arrays[i]->type : text(arrays[i]->name, "  ", arrays[i]->type);
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(elided(name, ImGui::GetContentRegionAvail().x).c_str(), i == model.chosenArray))
        model.chosenArray = i;
      ImGui::PopID();
    }
    if (ImGui::Button("Open in Layouts"))
      wanted = arrays[std::min(model.chosenArray, arrays.size() - 1)]->view;
    hint("this array's layout as a picture of the layout view");
    wrapped(model.pictureTitle, theme.faint);
    ImVec2 room = ImGui::GetContentRegionAvail();
    CanvasPlace place;
    if (room.y > theme.px(80)) {
      CanvasEvents events = drawSceneCanvas("picture", model.picture, theme, context.textures, {room.x, room.y}, place);
      if (events.hovered)
        drawTooltip(model.picture.wordsOf(events.under), theme);
    }
  }
  return wanted;
}

} // namespace lanescope::viz
