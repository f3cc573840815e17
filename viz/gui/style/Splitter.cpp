#include "viz/gui/style/Splitter.h"

namespace lanescope::viz {

SplitterEvents splitter(const char *id, ImVec2 size, const char *about, const Theme &theme) {
  SplitterEvents out;
  size = {std::max(size.x, 1.0f), std::max(size.y, 1.0f)};
  ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, size);
  bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive(), flat = size.x > size.y;
  if (!hovered && !active)
    return out;
  ImGui::SetMouseCursor(flat ? ImGuiMouseCursor_ResizeNS : ImGuiMouseCursor_ResizeEW);
  ImVec2 middle{at.x + size.x / 2, at.y + size.y / 2};
  ImVec2 from = flat ? ImVec2{at.x, middle.y} : ImVec2{middle.x, at.y};
  ImVec2 to = flat ? ImVec2{at.x + size.x, middle.y} : ImVec2{middle.x, at.y + size.y};
  ImGui::GetWindowDrawList()->AddLine(from, to, theme.accent, theme.px(2));
  if (hovered && !active)
    ImGui::SetTooltip("%s", about);
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    out.fold = true;
  else if (active && ImGui::IsMouseDragging(ImGuiMouseButton_Left))
    out.moved = ImGui::GetIO().MouseDelta;
  return out;
}

void drawGridGaps(GridShares &grid, int count, DockRect area, float gap, const Theme &theme) {
  constexpr const char *kAbout = "drag: how the two share their room; double click: alike";
  auto columns = static_cast<int>(grid.columns.size()), rows = static_cast<int>(grid.rows.size());
  auto act = [&](const char *id, int line, DockRect at, std::vector<float> &shares, float whole, bool flat) {
    ImGui::PushID(line);
    ImGui::SetCursorScreenPos({at.x, at.y});
    SplitterEvents events = splitter(id, {at.width, at.height}, kAbout, theme);
    ImGui::PopID();
    if (events.fold)
      shares.clear(); // the shares are equal again in the next frame
    else if (float moved = flat ? events.moved.y : events.moved.x; moved != 0)
      GridShares::drag(shares, static_cast<size_t>(line), moved / std::max(whole, 1.0f));
    return events.fold;
  };
  int whole = count / columns; // rows that have all columns
  if (whole > 0)
    for (int c = 0; c + 1 < columns; ++c) {
      DockRect first = grid.rectOf(c, count, area, gap),
               last = grid.rectOf((whole - 1) * columns + c, count, area, gap);
      if (act("columns", c, {first.x + first.width, first.y, gap, last.y + last.height - first.y}, grid.columns,
              area.width, false))
        return;
    }
  for (int r = 0; r + 1 < rows; ++r) {
    DockRect above = grid.rectOf(r * columns, count, area, gap);
    if (act("rows", r, {area.x, above.y + above.height, area.width, gap}, grid.rows, area.height, true))
      return;
  }
}

} // namespace lanescope::viz
