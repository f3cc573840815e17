#include "viz/gui/timeline/TimelinePanel.h"

#include "core/profiler/CompareText.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/timeline/SliceMoment.h"
#include "viz/gui/timeline/TimelineColours.h"
#include "viz/gui/timeline/TimelineWords.h"
#include "viz/scene/Page.h"
#include "viz/scene/TraceScene.h"

#include <imgui_stdlib.h>

#include <cmath>

namespace lanescope::viz {

namespace {

void space(const Theme &theme) { ImGui::Dummy({1, theme.px(10)}); }

/// Draws wrapped text. Returns true if the user has clicked it.
bool clickable(const char *id, const std::string &text, ImU32 colour, const Theme &theme) {
  ImVec2 at = ImGui::GetCursorScreenPos();
  float width = ImGui::GetContentRegionAvail().x;
  ImVec2 extent = ImGui::CalcTextSize(text.c_str(), nullptr, false, width);
  bool clicked = ImGui::InvisibleButton(id, {width, extent.y});
  if (ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRectFilled({at.x - theme.px(3), at.y - 1}, {at.x + width, at.y + extent.y + 1},
                                              theme.raised, theme.px(3));
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, colour, text.c_str(), nullptr, width);
  return clicked;
}

void drawDetails(TimelineModel &model, const Theme &theme) {
  SliceRef shown = model.selected.valid() ? model.selected : model.hovered;
  heading(model.selected.valid() ? "Selected slice" : "Under the pointer", theme);
  float top = ImGui::GetCursorPosY();
  if (std::optional<SliceWords> words = sliceWords(model, shown)) {
    wrapped(words->name, theme.ink);
    wrapped(words->times, theme.ink);
    if (!words->detail.empty())
      wrapped(words->detail, theme.ink);
    wrapped(words->track, theme.faint);
    if (std::string place = model.placeOf(shown); !place.empty())
      if (clickable("place", text("line: ", place), theme.link, theme))
        model.wantedPlace = place;
    if (auto at = model.moment(shown))
      if (clickable("moment",
                    text("in the debugger: ", core::blockWords(model.debugged->launch, at->warp.block), ", warp ",
                         at->warp.warp, ", cycle ", at->cycle),
                    theme.link, theme))
        model.wantedMoment = at;
    for (const std::string &line : words->links)
      wrapped(line, theme.faint);
  } else {
    wrapped("Point at a slice; click to pin it here, with why it took so long.", theme.faint);
  }
  // While no slice is selected, the panel keeps its height, so that the parts below it do not move under the pointer.
  float least = theme.px(110);
  float height = ImGui::GetCursorPosY() - top;
  ImGui::Dummy({1, std::max(theme.px(10), model.selected.valid() ? 0 : least - height)});
}

/// Draws the chain of the selected slice. A click on a link goes to its place.
void drawChain(TimelineModel &model, const Theme &theme) {
  if (!model.selected.valid() || model.chain().empty())
    return;
  heading("Why it took so long", theme);
  ImGui::PushFont(theme.small);
  SliceRef wanted;
  std::vector<std::string> words = chainWords(model);
  for (size_t n = 0; n < words.size(); ++n) {
    const core::ChainLink &link = model.chain()[n];
    if (clickable(text("link", n).c_str(), words[n], link.before ? theme.faint : theme.ink, theme))
      wanted = model.sliceOf(link.step);
  }
  for (const std::string &line : chainSharesWords(model))
    wrapped(line, theme.ink);
  ImGui::PopFont();
  if (wanted.valid()) {
    model.select(wanted);
    model.reveal(wanted);
  }
  space(theme);
}

void drawPath(TimelineModel &model, const Theme &theme) {
  if (!model.showPath)
    return;
  heading(model.selected.valid() ? "Critical path of the block" : "Critical path", theme);
  double length = model.pathLength();
  std::vector<std::string> lines = pathWords(model);
  wrapped(text(timeText(length), ", back from what finished last"), theme.faint);
  ImGui::PushFont(theme.small);
  for (const std::string &line : lines)
    wrapped(line, theme.ink);
  ImGui::PopFont();
  space(theme);
}

void drawOverlap(const TimelineModel &model, const Theme &theme) {
  heading(model.range() ? "Overlap in the selected stretch" : "Overlap", theme);
  ImGui::PushFont(theme.small);
  for (const auto &[state, words] : overlapWords(model)) {
    ImVec2 at = ImGui::GetCursorScreenPos();
    float line = ImGui::GetTextLineHeight();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 1}, {at.x + line - 2, at.y + line - 1},
                                              overlapColour(state, theme), theme.px(2));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + line + theme.px(4));
    wrapped(words, theme.ink);
  }
  if (model.overlapNamed())
    wrapped("Told by the names of regions: nothing is recorded in flight.", theme.faint);
  ImGui::PopFont();
  space(theme);
}

void drawOccupancy(const TimelineModel &model, const Theme &theme) {
  std::vector<std::string> lines = occupancyWords(model);
  if (!model.showOccupancy || lines.empty())
    return;
  heading("Blocks on processors", theme);
  ImGui::PushFont(theme.small);
  for (const std::string &line : lines)
    wrapped(line, theme.ink);
  for (size_t blocks = 1; blocks < core::OccupancyBin().size(); ++blocks) {
    ImVec2 at = ImGui::GetCursorScreenPos();
    float line = ImGui::GetTextLineHeight();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 1}, {at.x + line - 2, at.y + line - 1},
                                              occupancyColour(blocks, theme), theme.px(2));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + line + theme.px(4));
    wrapped(blocks + 1 == core::OccupancyBin().size() ? text(blocks, " blocks or more") : counted(blocks, "block"),
            theme.ink);
  }
  ImGui::PopFont();
  space(theme);
}

void drawComparison(const TimelineModel &model, const Theme &theme) {
  if (!model.comparison())
    return;
  heading("Since the trace before", theme);
  for (const std::string &line : comparisonWords(model))
    wrapped(line, theme.faint);
  ImGui::PushFont(theme.small);
  if (ImGui::BeginTable("changes", 3,
                        ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX)) {
    ImGui::TableSetupColumn("region", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("now");
    ImGui::TableSetupColumn("change");
    ImGui::TableHeadersRow();
    for (const core::RegionChange &change : model.comparison()->regions) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      std::string name = change.inFlight ? change.name + " (in flight)" : change.name;
      ImGui::TextUnformatted(elided(name, ImGui::GetContentRegionAvail().x).c_str());
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(timeText(change.selfAfter).c_str());
      ImGui::TableNextColumn();
      bool grew = change.growth() >= 0.5, shrank = change.growth() <= -0.5;
      ImGui::PushStyleColor(ImGuiCol_Text, grew ? theme.warning : shrank ? theme.good : theme.faint);
      ImGui::TextUnformatted(core::growthText(change.growth()).c_str());
      ImGui::PopStyleColor();
    }
    ImGui::EndTable();
  }
  ImGui::PopFont();
  space(theme);
}

void drawNotes(TimelineModel &model, const Theme &theme) {
  if (model.notes.all().empty() && !model.notes.writingAt && model.notes.problem().empty())
    return;
  heading("Notes", theme);
  std::optional<size_t> remove;
  for (size_t n = 0; n < model.notes.all().size(); ++n) {
    ImGui::PushID(int(n));
    float cross = buttonWidth("x");
    ImVec2 at = ImGui::GetCursorPos();
    float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushTextWrapPos(at.x + width - cross - theme.px(6));
    ImGui::TextUnformatted(text(timeText(model.notes.time(n)), ":  ", model.notes.all()[n].text).c_str());
    ImGui::PopTextWrapPos();
    ImVec2 after = ImGui::GetCursorPos();
    ImGui::SetCursorPos({at.x + width - cross, at.y});
    if (ImGui::SmallButton("x"))
      remove = n;
    hint("removes this note");
    ImGui::SetCursorPos(after);
    ImGui::PopID();
  }
  if (remove)
    model.notes.remove(*remove);
  if (model.notes.writingAt) {
    wrapped(text("At ", timeText(*model.notes.writingAt), ", Enter keeps it, Esc does not:"), theme.faint);
    ImGui::SetNextItemWidth(-1);
    if (ImGui::IsWindowAppearing() || model.notes.draft.empty())
      ImGui::SetKeyboardFocusHere();
    if (ImGui::InputText("##note", &model.notes.draft, ImGuiInputTextFlags_EnterReturnsTrue)) {
      model.notes.add(*model.notes.writingAt, model.notes.draft);
      model.notes.writingAt.reset();
      model.notes.draft.clear();
    }
  }
  if (!model.notes.problem().empty())
    wrapped(model.notes.problem(), theme.warning);
  space(theme);
}

/// The columns are count, total, median and share. A narrow panel has only the total and the share.
std::vector<size_t> shownColumns(float width, const Theme &theme) {
  constexpr float kAllColumns = 340;
  return width < theme.px(kAllColumns) ? std::vector<size_t>{1, 3} : std::vector<size_t>{0, 1, 2, 3};
}

void drawStatisticsRow(const TimelineModel &model, const Theme &theme, const StatisticsRow &row,
                       const std::vector<size_t> &columns) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImVec2 at = ImGui::GetCursorScreenPos();
  float line = ImGui::GetTextLineHeight();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 1}, {at.x + line - 2, at.y + line - 1},
                                            packed(traceColour(row.name)), theme.px(2));
  std::string name = core::regionName(*model.trace(), row.name);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + line + theme.px(4));
  ImGui::PushStyleColor(ImGuiCol_Text, model.filter.matches(row.name) ? theme.ink : theme.faint);
  ImGui::TextUnformatted(elided(name, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered())
    tip(text(name, "\n", row.details), theme);
  for (size_t column : columns) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(row.cells[column].c_str());
  }
}

void drawStatistics(const TimelineModel &model, const Theme &theme) {
  heading(model.range() ? "Regions in the selected stretch" : "Regions", theme);
  wrapped(scopeText(model), theme.faint);
  ImGui::PushFont(theme.small);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {theme.px(5), theme.px(4)});
  static constexpr const char *kColumns[] = {"count", "total", "median", "share"};
  std::vector<size_t> columns = shownColumns(ImGui::GetContentRegionAvail().x, theme);
  if (ImGui::BeginTable("regions", 1 + int(columns.size()),
                        ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX)) {
    ImGui::TableSetupColumn("region", ImGuiTableColumnFlags_WidthStretch);
    for (size_t column : columns)
      ImGui::TableSetupColumn(kColumns[column]);
    ImGui::TableHeadersRow();
    for (const StatisticsRow &row : statisticsRows(model))
      drawStatisticsRow(model, theme, row, columns);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  for (const std::string &remark : statisticsRemarks(model))
    wrapped(remark, theme.faint);
  for (const Diagnostic &warning : model.trace()->warnings)
    wrapped(warning.message, theme.warning);
}

} // namespace

ImU32 overlapColour(core::OverlapState state, const Theme &theme) {
  std::optional<Colour> colour = overlapColour(state, theme.dark);
  return colour ? packed(*colour) : theme.rule;
}

ImU32 occupancyColour(size_t blocks, const Theme &theme) {
  return (theme.accent & 0x00FFFFFF) | uint32_t(occupancyOpacity(blocks) * 255) << 24;
}

void drawTimelinePanel(TimelineModel &model, const Theme &theme) {
  if (model.busy())
    wrapped("Working out what this large trace says …", theme.faint);
  drawDetails(model, theme);
  drawChain(model, theme);
  drawPath(model, theme);
  drawComparison(model, theme);
  drawNotes(model, theme);
  drawOverlap(model, theme);
  drawOccupancy(model, theme);
  drawStatistics(model, theme);
}

} // namespace lanescope::viz
