// The shared memory of a stopped run, word by word. A word has the colour of its writer or of its array. Words to which
// a copy is in flight are marked.
#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/style/Widgets.h"

#include <cstdlib>

namespace lanescope::viz {

namespace {

constexpr uint32_t kBankBytes = 4, kBanks = 32, kRowBytes = kBankBytes * kBanks;

ImU32 inkOfWriter(const core::SharedWriter *writer, const Theme &theme) {
  if (!writer || writer->who.empty())
    return theme.rule;
  size_t digits = writer->who.find_first_of("0123456789"); // "warp 3", "the copy of warp 0"
  auto warp =
      digits == std::string::npos ? 0U : static_cast<uint32_t>(std::strtoul(writer->who.c_str() + digits, nullptr, 10));
  return warpInk(warp, theme);
}

ImU32 inkOfTile(const DebugPage &page, uint32_t address, const Theme &theme) {
  if (page.memories)
    for (size_t n = 0; n < page.memories->tiles.size(); ++n)
      if (elementAt(page.memories->tiles[n], address))
        return hueInk(n, theme);
  return theme.rule;
}

/// Draws a row of banks. Returns the address under the pointer, or 0.
uint32_t drawRow(const DebuggerModel &model, const DebugPage &page, uint32_t row, float left, float width, float height,
                 const Theme &theme) {
  const core::SharedMemory &shared = page.shared;
  ImDrawList *draw = ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  uint32_t first = row * kRowBytes;
  if (row % 2 == 0)
    draw->AddText({at.x, at.y}, theme.faint, text(shared.address + first).c_str());
  for (uint32_t bank = 0; bank < kBanks && first + bank * kBankBytes < shared.bytes.size(); ++bank) {
    uint32_t address = shared.address + first + bank * kBankBytes;
    ImVec2 from{at.x + left + width * static_cast<float>(bank), at.y}, to{from.x + width - 1, at.y + height - 1};
    draw->AddRectFilled(
        from, to, model.sharedByTile ? inkOfTile(page, address, theme) : inkOfWriter(writerOf(shared, address), theme));
    if (flightOver(page, address))
      draw->AddLine({from.x, to.y}, {to.x, from.y}, theme.hatch(), theme.px(1.5f));
    if (address == model.sharedWord)
      draw->AddRect(from, to, theme.ink, 0, 0, theme.px(2));
  }
  ImGui::PushID(static_cast<int>(row));
  ImGui::Dummy({left, height});
  ImGui::SameLine(0, 0);
  ImGui::InvisibleButton("row", {width * kBanks, height});
  ImGui::PopID();
  if (!ImGui::IsItemHovered())
    return 0;
  auto bank =
      std::min(static_cast<uint32_t>(std::max(0.0f, ImGui::GetIO().MousePos.x - at.x - left) / width), kBanks - 1);
  uint32_t offset = first + bank * kBankBytes;
  return offset < shared.bytes.size() ? shared.address + offset : 0;
}

} // namespace

void drawSharedMemory(DebuggerModel &model, const DebugPage &page, ViewContext &context) {
  const Theme &theme = context.theme;
  const core::SharedMemory &shared = page.shared;
  int chosen = model.sharedByTile ? 1 : 0;
  if (segmented("colour", {"Who wrote", "Which array"}, chosen, theme))
    model.sharedByTile = chosen == 1;
  if (shared.bytes.empty())
    return wrapped(text(blockWords(page, page.focus.block), " has no shared memory now"), theme.faint);
  if (model.sharedByTile) {
    for (size_t n = 0; page.memories && n < page.memories->tiles.size(); ++n)
      drawSwatch(text(page.memories->tiles[n].name, ": ", page.memories->tiles[n].map.title()), n, theme);
  } else {
    explanation(text(blockWords(page, page.focus.block),
                     ": a row has the 32 banks; the colour is the warp that wrote, or whose copy did; grey: not "
                     "written. Striped: a copy is on its way there."),
                theme);
  }
  if (model.sharedWord)
    wrapped(sharedWordWords(page, model.sharedWord) + "; W: stops where it changes", theme.ink);
  else
    explanation("a click or the arrows choose a word", theme);
  ImGui::BeginChild("shared");
  float left = theme.px(64), height = theme.px(11);
  float width = std::max(2.0f, std::floor((ImGui::GetContentRegionAvail().x - left - theme.px(14)) / kBanks));
  ImGui::PushFont(theme.small);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  uint32_t hovered = 0;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>((shared.bytes.size() + kRowBytes - 1) / kRowBytes), height);
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      hovered = std::max(hovered, drawRow(model, page, static_cast<uint32_t>(row), left, width, height, theme));
  ImGui::PopStyleVar();
  ImGui::PopFont();
  if (hovered) {
    ImGui::SetTooltip("%s", sharedWordWords(page, hovered).c_str());
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
      model.sharedWord = hovered;
  }
  ImGui::EndChild();
}

} // namespace lanescope::viz
