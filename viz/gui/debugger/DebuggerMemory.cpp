// Draws named values and global arrays, as numbers or as brightness.
#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/Catalogue.h"
#include "layouts/ElementMap.h"
#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/style/Widgets.h"
#include "viz/scene/Palette.h"

#include <cstdio>
#include <cstring>
#include <utility>

namespace lanescope::viz {

namespace {

std::string numberText(const core::Array &array, int64_t index) {
  char out[32];
  if (layouts::isFloat(array.dtype))
    std::snprintf(out, sizeof out, "%.4g", array.number(index));
  else
    std::snprintf(out, sizeof out, "%lld", static_cast<long long>(array.integer(index)));
  return out;
}

/// An array as rows and columns. A row is along the last dimension.
struct ArrayGrid {
  int64_t rows = 1, columns = 1;
};
ArrayGrid gridOf(const core::Array &array) {
  ArrayGrid grid;
  if (!array.shape.empty())
    grid.columns = std::max<int64_t>(array.shape.back(), 1);
  grid.rows = array.size() / grid.columns;
  return grid;
}

void drawNumbers(const core::Array &array) {
  constexpr int64_t kMostColumns = 60; // columns of a table
  ArrayGrid grid = gridOf(array);
  int columns = static_cast<int>(std::min(grid.columns, kMostColumns));
  ImGuiTableFlags flags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX;
  if (columns == 0 || !ImGui::BeginTable("numbers", columns + 1, flags))
    return;
  ImGui::TableSetupScrollFreeze(1, 0);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(std::min<int64_t>(grid.rows, INT32_MAX)));
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(text(row).c_str());
      for (int column = 0; column < columns; ++column) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(numberText(array, row * grid.columns + column).c_str());
      }
    }
  ImGui::EndTable();
}

/// The owners of the elements. Empty if the layout has no owners for single elements (constants).
std::optional<layouts::ElementMap> ownersOf(const DebugValue &value) {
  if (!value.layout)
    return std::nullopt;
  auto map = layouts::ElementMap::of(*value.layout, value.array.shape);
  return map ? std::optional(std::move(*map)) : std::nullopt;
}

/// Draws elements as cells, from the smallest (dark) to the largest (bright). With `owners`, the hue of a cell is that
/// of the warp that holds its element. If the array is large, only a regular sample of its elements is drawn. Returns
/// the element that the user clicked with the right button, if any.
std::optional<int64_t> drawBrightness(const core::Array &array, const layouts::ElementMap *owners, const Theme &theme) {
  constexpr int64_t kMostCells = 128; // cells per side
  ArrayGrid grid = gridOf(array);
  int64_t rows = std::min(grid.rows, kMostCells), columns = std::min(grid.columns, kMostCells);
  if (rows == 0 || columns == 0)
    return std::nullopt;
  auto indexOf = [&](int64_t row, int64_t column) {
    return row * grid.rows / rows * grid.columns + column * grid.columns / columns;
  };
  double least = HUGE_VAL, greatest = -HUGE_VAL;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (double value = array.number(indexOf(row, column)); std::isfinite(value))
        least = std::min(least, value), greatest = std::max(greatest, value);
  char range[96];
  std::snprintf(range, sizeof range, "dark %g to bright %g; red: no number%s", least, greatest,
                owners ? "; the hue is the warp that holds it" : "");
  explanation(least <= greatest ? range : "no numbers", theme);
  ImVec2 space = ImGui::GetContentRegionAvail(), begin = ImGui::GetCursorScreenPos();
  float side = std::max(
      std::floor(theme.px(2)),
      std::floor(std::min({space.x / static_cast<float>(columns), space.y / static_cast<float>(rows), theme.px(24)})));
  ImDrawList *draw = ImGui::GetWindowDrawList();
  constexpr Colour kDark{24, 24, 24}, kBright{250, 250, 250};
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      int64_t index = indexOf(row, column);
      double value = array.number(index), share = greatest > least ? (value - least) / (greatest - least) : 0.5;
      Colour fill = mix(kDark, kBright, share);
      if (owners)
        if (std::span<const int32_t> slots = owners->slots(index); !slots.empty()) {
          Colour warp = warpColour(owners->warpOf(slots.front() / owners->values()));
          fill = share < 0.5 ? mix(mix(kDark, warp, 0.3), warp, 2 * share)
                             : mix(warp, mix(warp, kBright, 0.7), 2 * share - 1);
        }
      ImVec2 from{begin.x + side * static_cast<float>(column), begin.y + side * static_cast<float>(row)};
      draw->AddRectFilled(from, {from.x + side, from.y + side}, std::isfinite(value) ? packed(fill) : theme.error);
    }
  ImGui::InvisibleButton("array", {side * static_cast<float>(columns), side * static_cast<float>(rows)});
  if (!ImGui::IsItemHovered())
    return std::nullopt;
  ImVec2 pointer = ImGui::GetIO().MousePos;
  int64_t index = indexOf(std::clamp<int64_t>(static_cast<int64_t>((pointer.y - begin.y) / side), 0, rows - 1),
                          std::clamp<int64_t>(static_cast<int64_t>((pointer.x - begin.x) / side), 0, columns - 1));
  std::string who;
  if (owners)
    if (std::vector<layouts::Owner> held = owners->owners(index); !held.empty())
      who = text("\nwarp ", owners->warpOf(held.front().thread), ", lane ", owners->laneOf(held.front().thread),
                 ", register ", held.front().reg);
  ImGui::SetTooltip("[%lld, %lld] %s%s", static_cast<long long>(index / grid.columns),
                    static_cast<long long>(index % grid.columns), numberText(array, index).c_str(), who.c_str());
  return ImGui::IsMouseClicked(ImGuiMouseButton_Right) ? std::optional(index) : std::nullopt;
}

/// Draws the array as a picture or as numbers, with a description. Returns the element that the user clicked with the
/// right button, if any.
std::optional<int64_t> drawArray(const core::Array &array, const std::string &what, const layouts::ElementMap *owners,
                                 bool &asPicture, const Theme &theme) {
  int numbers = asPicture ? 0 : 1;
  if (segmented("how", {"Picture", "Numbers"}, numbers, theme))
    asPicture = numbers == 0;
  ImGui::SameLine(0, theme.px(12));
  wrapped(text(layouts::name(array.dtype), "[", joined(array.shape, ", "), "]", what), theme.faint);
  if (asPicture)
    return drawBrightness(array, owners, theme);
  drawNumbers(array);
  return std::nullopt;
}

/// "out[3, 4]", in the form that the command `watch` accepts.
std::string elementWords(const std::string &name, const core::Array &array, int64_t index) {
  std::vector<int64_t> at(array.shape.size());
  for (size_t d = array.shape.size(); d-- > 0; index /= array.shape[d])
    at[d] = index % array.shape[d];
  return text(name, "[", joined(at, ", "), "]");
}

} // namespace

void drawArrays(DebuggerModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  const DebugPage &page = *model.page();
  auto specs = model.target()->launch.buffers();
  if (page.arrays.empty())
    return wrapped("the kernel has no arrays", theme.faint);
  for (size_t i = 0; i < page.arrays.size(); ++i) {
    std::string name = i < specs.size() && !specs[i]->name.empty() ? specs[i]->name : text("array ", i);
    if (i > 0)
      flow(buttonWidth(name.c_str()), theme);
    bool on = i == model.array;
    if (toggle(text(name, "##array", i).c_str(), on, theme))
      model.array = i;
  }
  size_t shown = std::min(model.array, page.arrays.size() - 1);
  explanation("the right button on an element: the run stops where it changes", theme);
  auto wanted = drawArray(page.arrays[shown], "", nullptr, model.arrayAsPicture, theme);
  if (wanted && shown < specs.size())
    model.obey("watch " + elementWords(specs[shown]->name.empty() ? text(shown) : specs[shown]->name,
                                       page.arrays[shown], *wanted));
}

void drawValues(DebuggerModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  const DebugPage &page = *model.page();
  if (page.valueNames.empty())
    return wrapped("The names of values are known where the kernel was launched by a file.", theme.faint);
  bool first = true;
  for (const std::string &name : page.valueNames) {
    if (!std::exchange(first, false))
      flow(buttonWidth(name.c_str()), theme);
    bool on = name == page.valueName;
    if (toggle(text(name, "##value").c_str(), on, theme))
      model.showValue(name);
  }
  if (!page.valueProblem.empty())
    return wrapped(page.valueProblem, theme.faint);
  if (!page.value)
    return;
  const DebugValue &value = *page.value;
  std::string what = text(", a number for each lane of ", warpWords(page, page.focus));
  if (value.layout)
    what = text(", ", layouts::catalogueName(*value.layout).value_or(layouts::jaxText(*value.layout)),
                ", of the warpgroup of ", warpWords(page, page.focus));
  if (!value.memory.empty())
    what = text(", ", value.memory, ", as ", blockWords(page, page.focus.block), " has it now");
  if (!value.remark.empty())
    wrapped(value.remark, theme.warning);
  auto owners = ownersOf(value);
  drawArray(value.array, what, owners ? &*owners : nullptr, model.valueAsPicture, theme);
}

} // namespace lanescope::viz
