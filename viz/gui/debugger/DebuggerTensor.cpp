// The tensor memory of a stopped run: 128 lanes of the allocated columns. A column has the colour of its array.
#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/style/Widgets.h"
#include "viz/scene/Palette.h"

namespace lanescope::viz {

namespace {

/// The number of columns to draw, up to the last allocated one.
uint32_t columnsShown(const core::TensorMemoryState &memory) {
  uint32_t out = 0;
  for (const auto &one : memory.allocations)
    out = std::max(out, std::min(one.column + one.columns, memory.columns));
  return out;
}

bool isHeld(const core::TensorMemoryState &memory, uint32_t column) {
  return std::ranges::any_of(memory.allocations, [&](const auto &one) {
    return !one.freed && column >= one.column && column < one.column + one.columns;
  });
}

/// The colours of a column: the hue of its array for words, and a paler one for words that are 0. A column that is not
/// allocated has the colour of rules.
struct ColumnInk {
  ImU32 word, zero;
};
std::vector<ColumnInk> inksOf(const DebugPage &page, uint32_t columns, const Theme &theme) {
  constexpr double kPale = 0.72;
  ColourTheme colours = theme.dark ? ColourTheme::Dark : ColourTheme::Light;
  std::vector<ColumnInk> out;
  for (uint32_t column = 0; column < columns; ++column) {
    auto place = tensorPlaceAt(page, column);
    Colour own = place ? inTheme(hue(static_cast<int64_t>(place->number)), colours) : inTheme(kUnclassed, colours);
    Colour zero = mix(own, inTheme(kPaper, colours), kPale);
    out.push_back(isHeld(page.tensor, column) ? ColumnInk{packed(own), packed(zero)}
                                              : ColumnInk{theme.rule, theme.rule});
  }
  return out;
}

/// Draws the cells. Neighbouring cells of the same colour become one box.
void drawCells(const DebugPage &page, uint32_t columns, ImVec2 begin, ImVec2 cell, const Theme &theme) {
  ImDrawList *draw = ImGui::GetWindowDrawList();
  std::vector<ColumnInk> inks = inksOf(page, columns, theme);
  for (uint32_t lane = 0; lane < layouts::kTmemLanes; ++lane) {
    float top = begin.y + cell.y * static_cast<float>(lane);
    auto inkAt = [&](uint32_t column) {
      bool zero = page.tensor.cells[size_t{lane} * page.tensor.columns + column] == 0;
      return zero ? inks[column].zero : inks[column].word;
    };
    for (uint32_t column = 0; column < columns;) {
      uint32_t end = column + 1;
      while (end < columns && inkAt(end) == inkAt(column))
        ++end;
      draw->AddRectFilled({begin.x + cell.x * static_cast<float>(column), top},
                          {begin.x + cell.x * static_cast<float>(end), top + cell.y}, inkAt(column));
      column = end;
    }
  }
}

} // namespace

void drawTensorMemory(DebuggerModel &model, const DebugPage &page, ViewContext &context) {
  const Theme &theme = context.theme;
  uint32_t columns = columnsShown(page.tensor);
  if (columns == 0)
    return wrapped(
        text(blockWords(page, page.focus.block), " has no tensor memory now (Blackwell's tensor cores sum there)"),
        theme.faint);
  std::string allocations;
  for (const auto &one : page.tensor.allocations)
    allocations += text(allocations.empty() ? "" : "; ", "columns ", one.column, " to ", one.column + one.columns - 1,
                        one.freed ? ", given back" : "");
  wrapped(text(blockWords(page, page.focus.block), ": ", allocations, "; a row is a lane; pale: zero"), theme.faint);
  for (size_t n = 0; page.memories && n < page.memories->tensors.size(); ++n)
    drawSwatch(page.memories->tensors[n].array.array.name, n, theme);
  model.tensorColumn = std::min(model.tensorColumn, columns - 1);
  wrapped(tensorCellWords(page, model.tensorLane, model.tensorColumn), theme.ink);
  ImGui::BeginChild("tensor", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImVec2 space = ImGui::GetContentRegionAvail(), begin = ImGui::GetCursorScreenPos();
  ImVec2 cell{std::max(1.0f, space.x / static_cast<float>(columns)),
              std::max(2.0f, std::floor(space.y / layouts::kTmemLanes))};
  drawCells(page, columns, begin, cell, theme);
  ImVec2 chosen{begin.x + cell.x * static_cast<float>(model.tensorColumn),
                begin.y + cell.y * static_cast<float>(model.tensorLane)};
  ImGui::GetWindowDrawList()->AddRect({chosen.x - theme.px(2), chosen.y - theme.px(2)},
                                      {chosen.x + cell.x + theme.px(2), chosen.y + cell.y + theme.px(2)}, theme.ink, 0,
                                      0, theme.px(1.5f));
  ImGui::InvisibleButton("cells", {cell.x * static_cast<float>(columns), cell.y * layouts::kTmemLanes});
  if (ImGui::IsItemHovered()) {
    ImVec2 pointer = ImGui::GetIO().MousePos;
    auto lane = std::min(static_cast<uint32_t>(std::max(0.0f, pointer.y - begin.y) / cell.y), layouts::kTmemLanes - 1U);
    auto column = std::min(static_cast<uint32_t>(std::max(0.0f, pointer.x - begin.x) / cell.x), columns - 1);
    ImGui::SetTooltip("%s", tensorCellWords(page, lane, column).c_str());
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
      model.tensorLane = lane, model.tensorColumn = column;
  }
  ImGui::EndChild();
}

} // namespace lanescope::viz
