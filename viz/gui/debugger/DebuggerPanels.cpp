// The page as tables: warps, barriers, operations in flight, registers.
#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/style/Widgets.h"

#include <algorithm>
#include <cstdio>

namespace lanescope::viz {

namespace {

/// Draws a table of texts, one row at a time.
template <typename Rows> void table(const char *id, std::initializer_list<const char *> columns, Rows rows) {
  ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY |
                          ImGuiTableFlags_ScrollX | ImGuiTableFlags_BordersInnerV;
  if (!ImGui::BeginTable(id, static_cast<int>(columns.size()), flags))
    return;
  for (const char *column : columns)
    ImGui::TableSetupColumn(column);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  rows([](std::initializer_list<std::string> cells) {
    ImGui::TableNextRow();
    for (const std::string &cell : cells) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(cell.c_str());
    }
  });
  ImGui::EndTable();
}

std::string lineWords(const core::CodePlace &place) {
  return place.snippetLine ? text(place.snippetLine) : place.ptxLine ? text("PTX ", place.ptxLine) : std::string("-");
}

/// The name of a block in a column of blocks: "3", "(0, 3)", or, with several devices, "device 1 block 0".
std::string blockCell(const DebugPage &page, uint32_t block) {
  std::string words = blockWords(page, block);
  constexpr std::string_view kBlock = "block ";
  return words.starts_with(kBlock) ? words.substr(kBlock.size()) : words;
}

void drawWarps(DebuggerModel &model, const DebugPage &page, const Theme &theme) {
  table("warps", {"block", "warp", "lanes", "line", "instruction", "waits for"}, [&](auto row) {
    for (const core::WarpPlace &warp : page.warps) {
      std::vector<core::CodePlace> places = warp.places;
      if (places.empty())
        places.push_back({.opcode = "has ended"});
      for (const core::CodePlace &place : places) {
        row({blockCell(page, warp.warp.block), "", lanesWords(place.lanes), lineWords(place), place.opcode,
             place.waitsFor});
        ImGui::TableSetColumnIndex(1);
        ImGui::PushID(static_cast<int>(warp.warp.block * 64 + warp.warp.warp));
        ImU32 fill = warpInk(warp.warp.warp, theme);
        ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg, fill);
        ImGui::PushStyleColor(ImGuiCol_Text, Theme::inkOn(fill));
        if (ImGui::Selectable(text(warp.warp.warp, warp.warp == page.focus ? "  *" : "").c_str(),
                              warp.warp == page.focus, ImGuiSelectableFlags_SpanAllColumns))
          model.setFocus(warp.warp);
        ImGui::PopStyleColor();
        ImGui::PopID();
      }
    }
  });
}

void drawBarriers(DebuggerModel &model, const DebugPage &page, const Theme &theme) {
  if (page.barriers.empty())
    return wrapped(text(blockWords(page, page.focus.block), " has no barrier"), theme.faint);
  table("barriers", {"barrier", "phase", "arrived", "bytes missing", "who waits", ""}, [&](auto row) {
    for (const core::BarrierState &barrier : page.barriers) {
      std::vector<std::string> waiting;
      for (core::WarpRef warp : barrier.waiting)
        waiting.push_back(text(warp.warp));
      row({barrierName(barrier), barrier.named ? std::string("-") : text(barrier.phase),
           text(barrier.expected - barrier.pending, " of ", barrier.expected), text(barrier.bytes),
           waiting.empty() ? "" : text("warps ", joined(waiting, ", "))});
      ImGui::TableNextColumn(); // without a text, the button is in the row's line
      if (!barrier.named && ImGui::SmallButton(text("watch##", barrier.address).c_str()))
        model.obey(text("watch mbarrier ", barrier.address));
      if (!barrier.named)
        hint("the run stops when this mbarrier changes");
    }
  });
}

void drawFlights(const DebugPage &page, const Theme &theme) {
  if (page.flights.empty())
    return wrapped(nothingInFlight(page), theme.faint);
  table("flights", {"what", "issued by", "line", "bytes", "from", "to", "signals", "cycles"}, [&](auto row) {
    for (const core::Flight &flight : page.flights)
      row({text(kindWords(flight), flight.landed ? ", landed" : ""), warpWords(page, flight.warp),
           lineWords(flight.place), text(flight.bytes), flight.from, flight.to, flight.signals,
           text(flight.issued, " to ", flight.due)});
  });
}

void drawRegisters(const DebugPage &page, const Theme &theme) {
  if (page.registers.empty())
    return wrapped(text(warpWords(page, page.focus), " has no registers: it has ended"), theme.faint);
  wrapped(text("of ", warpWords(page, page.focus), ", a column for each lane"), theme.faint);
  constexpr int kLanes = 32;
  ImGuiTableFlags flags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX;
  if (!ImGui::BeginTable("registers", kLanes + 1, flags))
    return;
  ImGui::TableSetupScrollFreeze(1, 0);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(page.registers.size()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const core::RegisterValue &value = page.registers[static_cast<size_t>(i)];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(value.name.c_str());
      for (uint64_t lane : value.lanes) {
        ImGui::TableNextColumn();
        char digits[24];
        std::snprintf(digits, sizeof digits, value.bits == 1 ? "%llu" : "%llx", static_cast<unsigned long long>(lane));
        ImGui::TextUnformatted(digits);
      }
    }
  ImGui::EndTable();
}

} // namespace

/// True if the page contains the panel's data.
static bool isThere(const DebugPage &page, DebugPanel panel) {
  using enum DebugPanel;
  switch (panel) {
  case Warps:
  case Barriers:
  case Flights:
  case Registers:
  case Stops: return true;
  case Shared:
  case Tensor: return page.memories != nullptr && (panel == Shared || page.panel == Tensor);
  case Values:
  case Waits:
  case Arrays: return page.panel == panel;
  }
  return true;
}

/// Draws a list of panels. It replaces the buttons if these would take too much of the panel's room.
static void drawPanelList(DebuggerModel &model) {
  const DebugPanelEntry &chosen = *std::ranges::find(debugPanels(), model.panel(), &DebugPanelEntry::panel);
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##panel", chosen.title, ImGuiComboFlags_HeightLargest))
    return;
  for (const DebugPanelEntry &entry : debugPanels())
    if (ImGui::Selectable(text(entry.title, "   ", (static_cast<int>(entry.panel) + 1) % 10).c_str(),
                          entry.panel == model.panel()))
      model.showPanel(entry.panel);
  ImGui::EndCombo();
}

/// Draws the buttons of the panels. Their gaps are small, because the panel needs the room.
static void drawPanelButtons(DebuggerModel &model, const Theme &theme) {
  const float gap = theme.px(3), right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  constexpr float kMostRows = 2;
  float width = 0;
  for (const DebugPanelEntry &entry : debugPanels())
    width += buttonWidth(entry.title) + gap;
  if (width > kMostRows * ImGui::GetContentRegionAvail().x)
    return drawPanelList(model);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
  for (const DebugPanelEntry &entry : debugPanels()) {
    if (entry.panel != debugPanels().front().panel &&
        ImGui::GetItemRectMax().x + gap + buttonWidth(entry.title) < right)
      ImGui::SameLine(0, gap);
    bool on = entry.panel == model.panel();
    if (toggle(text(entry.title, "##panel").c_str(), on, theme))
      model.showPanel(entry.panel);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s   %d", entry.about, (static_cast<int>(entry.panel) + 1) % 10);
  }
  ImGui::PopStyleVar();
}

void drawDebuggerPanel(DebuggerModel &model, ViewContext &context) {
  using enum DebugPanel;
  const DebugPage &page = *model.page();
  drawPanelButtons(model, context.theme);
  ImGui::PushFont(context.theme.mono);
  if (!isThere(page, model.panel())) {
    wrapped("looking …", context.theme.faint);
    return ImGui::PopFont();
  }
  switch (model.panel()) {
  case Values: drawValues(model, context); break;
  case Warps: drawWarps(model, page, context.theme); break;
  case Barriers: drawBarriers(model, page, context.theme); break;
  case Flights: drawFlights(page, context.theme); break;
  case Waits: drawWaits(page, context); break;
  case Shared: drawSharedMemory(model, page, context); break;
  case Tensor: drawTensorMemory(model, page, context); break;
  case Arrays: drawArrays(model, context); break;
  case Registers: drawRegisters(page, context.theme); break;
  case Stops: drawStops(model, page, context); break;
  }
  ImGui::PopFont();
}

} // namespace lanescope::viz
