// Memory of a stopped run: shared memory word by word in the colour of who wrote it, global arrays as numbers or as
// brightness.
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

constexpr uint32_t kBankBytes = 4, kBanks = 32, kRowBytes = kBankBytes * kBanks;

const core::SharedWriter *writerOf(const core::SharedMemory &shared, uint32_t address) {
  auto after = std::ranges::upper_bound(shared.writers, address, {}, &core::SharedWriter::address);
  if (after == shared.writers.begin())
    return nullptr;
  const core::SharedWriter &writer = *std::prev(after);
  return address < writer.address + writer.bytes ? &writer : nullptr;
}

/// The copy in flight that touches a byte; nothing where none does.
std::optional<uint32_t> flightAt(const DebugPage &page, uint32_t address) {
  for (uint32_t number : page.shared.flights) {
    if (number >= page.flights.size())
      continue;
    const core::Flight &flight = page.flights[number];
    if (flight.sharedAddress && !flight.landed && address >= *flight.sharedAddress &&
        address < *flight.sharedAddress + flight.bytes)
      return number;
  }
  return std::nullopt;
}

ImU32 inkOfWriter(const core::SharedWriter *writer, const Theme &theme) {
  if (!writer || writer->who.empty())
    return theme.rule;
  size_t digits = writer->who.find_first_of("0123456789"); // "warp 3", "the copy of warp 0"
  auto warp =
      digits == std::string::npos ? 0U : static_cast<uint32_t>(std::strtoul(writer->who.c_str() + digits, nullptr, 10));
  return warpInk(warp, theme);
}

std::string wordText(const core::SharedMemory &shared, uint32_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, shared.bytes.data() + offset, std::min<size_t>(sizeof word, shared.bytes.size() - offset));
  float number = 0;
  std::memcpy(&number, &word, sizeof number);
  char out[80];
  std::snprintf(out, sizeof out, "0x%08x, as f32 %g, as i32 %d", word, static_cast<double>(number),
                static_cast<int>(word));
  return out;
}

std::string numberText(const core::Array &array, int64_t index) {
  char out[32];
  if (layouts::isFloat(array.dtype))
    std::snprintf(out, sizeof out, "%.4g", array.number(index));
  else
    std::snprintf(out, sizeof out, "%lld", static_cast<long long>(array.integer(index)));
  return out;
}

/// An array as rows and columns: its last dimension is a row.
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
  constexpr int64_t kMostColumns = 60; // of a table
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

/// Nothing where the layout says nothing of single elements (constants).
std::optional<layouts::ElementMap> ownersOf(const DebugValue &value) {
  if (!value.layout)
    return std::nullopt;
  auto map = layouts::ElementMap::of(*value.layout, value.array.shape);
  return map ? std::optional(std::move(*map)) : std::nullopt;
}

/// Elements as cells, from the least (dark) to the greatest (bright), with `owners` in the hue of the warp that holds
/// them. Of a large array every so manieth one.
void drawBrightness(const core::Array &array, const layouts::ElementMap *owners, const Theme &theme) {
  constexpr int64_t kMostCells = 128; // of a side
  ArrayGrid grid = gridOf(array);
  int64_t rows = std::min(grid.rows, kMostCells), columns = std::min(grid.columns, kMostCells);
  if (rows == 0 || columns == 0)
    return;
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
  wrapped(least <= greatest ? range : "no numbers", theme.faint);
  ImVec2 space = ImGui::GetContentRegionAvail(), begin = ImGui::GetCursorScreenPos();
  float side = std::max(1.0f, std::floor(std::min({space.x / static_cast<float>(columns),
                                                   space.y / static_cast<float>(rows), theme.px(24)})));
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
    return;
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
}

/// Picture or numbers, and what the array is.
void drawArray(const core::Array &array, const std::string &what, const layouts::ElementMap *owners, bool &asPicture,
               const Theme &theme) {
  int numbers = asPicture ? 0 : 1;
  if (segmented("how", {"Picture", "Numbers"}, numbers, theme))
    asPicture = numbers == 0;
  ImGui::SameLine(0, theme.px(12));
  wrapped(text(layouts::name(array.dtype), "[", joined(array.shape, ", "), "]", what), theme.faint);
  if (asPicture)
    drawBrightness(array, owners, theme);
  else
    drawNumbers(array);
}

} // namespace

void drawSharedMemory(const DebugPage &page, ViewContext &context) {
  const Theme &theme = context.theme;
  const core::SharedMemory &shared = page.shared;
  wrapped(text("block ", page.focus.block,
               ": a row has the 32 banks; the colour is the warp that wrote, or whose copy did; "
               "striped: a copy is on its way there; grey: nobody has written"),
          theme.faint);
  if (shared.bytes.empty())
    return wrapped("the block has no shared memory now", theme.faint);
  ImGui::BeginChild("shared");
  float left = theme.px(64), height = theme.px(11);
  float width = std::max(2.0f, std::floor((ImGui::GetContentRegionAvail().x - left - theme.px(14)) / kBanks));
  ImDrawList *draw = ImGui::GetWindowDrawList();
  ImGui::PushFont(theme.small);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>((shared.bytes.size() + kRowBytes - 1) / kRowBytes), height);
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      ImVec2 at = ImGui::GetCursorScreenPos();
      uint32_t first = static_cast<uint32_t>(row) * kRowBytes;
      if (row % 2 == 0)
        draw->AddText({at.x, at.y}, theme.faint, text(shared.address + first).c_str());
      for (uint32_t bank = 0; bank < kBanks && first + bank * kBankBytes < shared.bytes.size(); ++bank) {
        uint32_t offset = first + bank * kBankBytes, address = shared.address + offset;
        ImVec2 from{at.x + left + width * static_cast<float>(bank), at.y}, to{from.x + width - 1, at.y + height - 1};
        draw->AddRectFilled(from, to, inkOfWriter(writerOf(shared, address), theme));
        if (flightAt(page, address))
          draw->AddLine({from.x, to.y}, {to.x, from.y}, theme.hatch(), theme.px(1.5f));
      }
      ImGui::PushID(row);
      ImGui::Dummy({left, height});
      ImGui::SameLine(0, 0);
      ImGui::InvisibleButton("row", {width * kBanks, height});
      if (ImGui::IsItemHovered()) {
        auto bank = static_cast<uint32_t>((ImGui::GetIO().MousePos.x - at.x - left) / width);
        uint32_t offset = first + std::min(bank, kBanks - 1) * kBankBytes;
        if (offset < shared.bytes.size()) {
          const core::SharedWriter *writer = writerOf(shared, shared.address + offset);
          auto flight = flightAt(page, shared.address + offset);
          ImGui::SetTooltip("address %u: %s\n%s%s%s", shared.address + offset, wordText(shared, offset).c_str(),
                            !writer || writer->who.empty()
                                ? "nobody has written it"
                                : text("written by ", writer->who, ", line ", writer->place.snippetLine).c_str(),
                            flight ? "\na copy of " : "", flight ? warpWords(page.flights[*flight].warp).c_str() : "");
        }
      }
      ImGui::PopID();
    }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
}

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
  drawArray(page.arrays[std::min(model.array, page.arrays.size() - 1)], "", nullptr, model.arrayAsPicture, theme);
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
      model.showValue(name, context.requests);
  }
  if (!page.valueProblem.empty())
    return wrapped(page.valueProblem, theme.faint);
  if (!page.value)
    return;
  const DebugValue &value = *page.value;
  std::string what = text(", a number for each lane of ", warpWords(page.focus));
  if (value.layout)
    what = text(", ", layouts::catalogueName(*value.layout).value_or(layouts::jaxText(*value.layout)),
                ", of the warpgroup of ", warpWords(page.focus));
  if (!value.remark.empty())
    wrapped(value.remark, theme.warning);
  auto owners = ownersOf(value);
  drawArray(value.array, what, owners ? &*owners : nullptr, model.valueAsPicture, theme);
}

} // namespace lanescope::viz
