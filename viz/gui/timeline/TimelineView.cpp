// The trace view: rows of tracks under a time axis, a panel with what regions cost, details of a slice.
#include "viz/gui/timeline/TimelineView.h"

#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/timeline/TimelineWords.h"
#include "viz/scene/Page.h"
#include "viz/scene/TraceScene.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"

#include <imgui_stdlib.h>

#include <cmath>

namespace lanescope::viz {

namespace {

constexpr float kNamesWidth = 250, kRowHeight = 20, kAxisHeight = 30;

std::string elided(std::string text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width)
    return text;
  while (!text.empty() && ImGui::CalcTextSize((text + "…").c_str()).x > width)
    dropLastCharacter(text);
  return text + "…";
}

struct TimelinePainter {
  ImDrawList &list;
  TimelineModel &model;
  const Theme &theme;
  ImVec2 at, size; // of the bars
  float names;     // width of the names to the left of it

  void axis(const TimelineFrame &frame) const {
    float line = theme.small->FontSize, top = at.y - theme.px(kAxisHeight);
    list.PushClipRect({at.x, top}, {at.x + size.x, at.y + size.y}, true);
    for (const TimeTick &tick : frame.ticks) {
      float x = at.x + tick.x;
      list.AddLine({x, at.y - theme.px(tick.major ? 7 : 4)}, {x, at.y}, theme.faint);
      if (!tick.major)
        continue;
      list.AddLine({x, at.y}, {x, at.y + size.y}, (theme.rule & 0x00FFFFFF) | 0x70000000);
      float width = theme.small->CalcTextSizeA(line, FLT_MAX, 0, tick.text.c_str()).x;
      if (x + theme.px(4) + width < at.x + size.x)
        list.AddText(theme.small, line, {x + theme.px(4), top + theme.px(3)}, theme.faint, tick.text.c_str());
    }
    list.AddLine({at.x, at.y}, {at.x + size.x, at.y}, theme.rule);
    list.PopClipRect();
  }

  void rows(const TimelineFrame &frame) const {
    list.PushClipRect({at.x - names, at.y}, {at.x + size.x, at.y + size.y}, true);
    ImGui::PushFont(theme.small);
    float line = theme.small->FontSize;
    for (const RowRecord &row : frame.rows) {
      float y0 = at.y + row.y0, middle = y0 + (theme.px(kRowHeight) - line) / 2;
      if (row.track < 0) {
        list.AddRectFilled({at.x - names, y0}, {at.x + size.x, at.y + row.y1 - 1}, theme.panel);
        float x = at.x - names + theme.px(10), h = theme.px(4), y = y0 + (row.y1 - row.y0) / 2;
        if (row.collapsed)
          list.AddTriangleFilled({x - h, y - h}, {x - h, y + h}, {x + h, y}, theme.faint);
        else
          list.AddTriangleFilled({x - h, y - h}, {x + h, y - h}, {x, y + h}, theme.faint);
        std::string name = text(model.groupName(row.group), "   ", model.groupSize(row.group),
                                model.groupSize(row.group) == 1 ? " track" : " tracks");
        list.AddText({x + theme.px(10), y - line / 2}, theme.ink, name.c_str());
      } else {
        std::string name = elided(model.trackName(row.track), names - theme.px(28));
        list.AddText({at.x - names + theme.px(20), middle}, theme.ink, name.c_str());
      }
    }
    ImGui::PopFont();
    list.PopClipRect();
    list.AddLine({at.x - 1, at.y}, {at.x - 1, at.y + size.y}, theme.rule);
  }

  void bars(const TimelineFrame &frame) const {
    list.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
    const core::TraceSlice *hovered = model.slice(model.hovered);
    float line = theme.small->FontSize;
    for (const BarRecord &bar : frame.bars) {
      uint32_t fill = packed(traceColour(bar.name));
      // Slices of the name under the pointer stand out; those that the search leaves out step back.
      bool back = bar.faded || (hovered && hovered->name != bar.name);
      if (back)
        fill = (fill & 0x00FFFFFF) | (bar.faded ? 0x30000000 : 0x90000000);
      ImVec2 from{at.x + bar.x0, at.y + bar.y0}, to{at.x + bar.x1, at.y + bar.y1};
      if (to.x - from.x > 3)
        to.x -= 1;
      list.AddRectFilled(from, to, fill);
      if (bar.merged > 1 || to.x - from.x < theme.px(24) || bar.faded)
        continue;
      std::string name = core::regionName(*model.trace(), bar.name);
      ImVec2 extent = theme.small->CalcTextSizeA(line, FLT_MAX, 0, name.c_str());
      if (extent.x + theme.px(8) < to.x - from.x)
        list.AddText(theme.small, line,
                     {std::floor(from.x + theme.px(4)), std::floor(from.y + (to.y - from.y - line) / 2)},
                     Theme::inkOn(packed(traceColour(bar.name))), name.c_str());
    }
    for (const BarRecord &bar : frame.bars) {
      bool selected = bar.slice == model.selected, under = bar.slice == model.hovered;
      if (selected || under)
        list.AddRect({at.x + bar.x0 - 1, at.y + bar.y0 - 1}, {at.x + bar.x1 + 1, at.y + bar.y1 + 1},
                     selected ? theme.accent : theme.lit, 0, 0, theme.px(selected ? 3 : 2));
    }
    list.PopClipRect();
  }

  void arrows(const TimelineFrame &frame) const {
    list.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
    for (bool lit : {false, true})
      for (const ArrowRecord &arrow : frame.arrows) {
        if (arrow.lit != lit)
          continue;
        uint32_t colour = lit ? theme.accent : theme.ink;
        ImVec2 from{at.x + arrow.x0, at.y + arrow.y0}, to{at.x + arrow.x1, at.y + arrow.y1};
        // Arrows leave and arrive along time, so that those between near moments bow out.
        float bow = std::max(theme.px(12), std::min(std::abs(to.x - from.x) / 2, theme.px(80)));
        float head = theme.px(lit ? 8.0f : 6.5f);
        float width = theme.px(lit ? 2.2f : 1.5f);
        // A line around it in the paper's colour keeps it apart from the bars that it crosses.
        for (bool around : {true, false})
          list.AddBezierCubic(from, {from.x + bow, from.y}, {to.x - bow - head, to.y}, {to.x - head, to.y},
                              around ? theme.ground : colour, around ? width + theme.px(2) : width);
        list.AddTriangleFilled(to, {to.x - head, to.y - head * 0.6f}, {to.x - head, to.y + head * 0.6f}, colour);
      }
    list.PopClipRect();
    if (frame.arrowsLeftOut > 0) {
      std::string words = text(frame.arrowsLeftOut, " arrows: zoom in, or point at a slice");
      ImVec2 extent = theme.small->CalcTextSizeA(theme.small->FontSize, FLT_MAX, 0, words.c_str());
      ImVec2 corner{at.x + size.x - extent.x - theme.px(12), at.y + size.y - extent.y - theme.px(10)};
      list.AddRectFilled({corner.x - theme.px(6), corner.y - theme.px(3)},
                         {corner.x + extent.x + theme.px(6), corner.y + extent.y + theme.px(3)}, theme.panel,
                         theme.px(4));
      list.AddText(theme.small, theme.small->FontSize, corner, theme.faint, words.c_str());
    }
  }

  void range() const {
    list.PushClipRect({at.x, at.y - theme.px(kAxisHeight)}, {at.x + size.x, at.y + size.y}, true);
    if (model.range()) {
      float x0 = at.x + float(model.pixelAt(model.range()->begin, size.x));
      float x1 = at.x + float(model.pixelAt(model.range()->end, size.x));
      list.AddRectFilled({x0, at.y - theme.px(8)}, {x1, at.y + size.y}, theme.selection);
      list.AddLine({x0, at.y}, {x0, at.y + size.y}, theme.accent);
      list.AddLine({x1, at.y}, {x1, at.y + size.y}, theme.accent);
    }
    if (model.mark) {
      float x = at.x + float(model.pixelAt(*model.mark, size.x));
      list.AddLine({x, at.y - theme.px(kAxisHeight)}, {x, at.y + size.y}, theme.warning, theme.px(2));
    }
    list.PopClipRect();
  }
};

void drawDetails(TimelineModel &model, const Theme &theme) {
  SliceRef shown = model.selected.valid() ? model.selected : model.hovered;
  heading(model.selected.valid() ? "Selected slice" : "Under the pointer", theme);
  // The panel keeps its height, so that what is below does not jump while the pointer moves.
  ImVec2 from = ImGui::GetCursorPos();
  if (const core::TraceSlice *slice = model.slice(shown)) {
    const core::TraceTrack &track = model.trace()->tracks[size_t(shown.track)];
    wrapped(core::regionName(*model.trace(), slice->name), theme.ink);
    wrapped(text(timeText(slice->endNs - slice->beginNs), ", from ", timeText(model.beginOf(shown)), " to ",
                 timeText(model.beginOf(shown) + slice->endNs - slice->beginNs)),
            theme.ink);
    if (std::string detail = model.detail(shown); !detail.empty())
      wrapped(detail, theme.ink);
    wrapped(text(core::processName(track), ", ", model.trackName(shown.track)), theme.faint);
    for (const std::string &line : model.linkWords(shown))
      wrapped(line, theme.faint);
  } else {
    wrapped("Point at a slice; click to keep it here.", theme.faint);
  }
  ImGui::SetCursorPos({from.x, from.y + theme.px(100)});
}

void drawStatisticsRow(const TimelineModel &model, const Theme &theme, const StatisticsRow &row) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImVec2 at = ImGui::GetCursorScreenPos();
  float line = ImGui::GetTextLineHeight();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 1}, {at.x + line - 2, at.y + line - 1},
                                            packed(traceColour(row.name)), theme.px(2));
  std::string name = core::regionName(*model.trace(), row.name);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + line + theme.px(4));
  ImGui::PushStyleColor(ImGuiCol_Text, model.matches(row.name) ? theme.ink : theme.faint);
  ImGui::TextUnformatted(elided(name, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) {
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(text(name, "\n", row.details).c_str());
    ImGui::EndTooltip();
  }
  for (const std::string &cell : row.cells) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(cell.c_str());
  }
}

void drawStatistics(const TimelineModel &model, const Theme &theme) {
  heading(model.range() ? "Regions in the selected stretch" : "Regions", theme);
  wrapped(scopeText(model), theme.faint);
  ImGui::PushFont(theme.small);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {theme.px(5), theme.px(4)});
  if (ImGui::BeginTable("regions", 5,
                        ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX)) {
    ImGui::TableSetupColumn("region", ImGuiTableColumnFlags_WidthStretch);
    for (const char *column : {"count", "total", "median", "share"})
      ImGui::TableSetupColumn(column);
    ImGui::TableHeadersRow();
    for (const StatisticsRow &row : statisticsRows(model))
      drawStatisticsRow(model, theme, row);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  for (const std::string &remark : statisticsRemarks(model))
    wrapped(remark, theme.faint);
  for (const Diagnostic &warning : model.trace()->warnings)
    wrapped(warning.message, theme.warning);
}

void handleKeys(TimelineModel &model, ViewContext &context, double width, double pointer) {
  double pan = 0.02 * width;
  if (ImGui::IsKeyDown('W'))
    model.zoomAt(pointer, width, 1.04);
  if (ImGui::IsKeyDown('S'))
    model.zoomAt(pointer, width, 1 / 1.04);
  if (ImGui::IsKeyDown('A'))
    model.panPixels(pan, width);
  if (ImGui::IsKeyDown('D'))
    model.panPixels(-pan, width);
  if (ImGui::IsKeyPressed('F', false)) {
    if (model.selected.valid())
      model.focusOn(model.selected);
    else if (model.range())
      model.setView(*model.range());
    else
      model.showAll();
  }
  if (ImGui::IsKeyPressed(kKeyPeriod))
    model.selectNext(1);
  if (ImGui::IsKeyPressed(kKeyComma))
    model.selectNext(-1);
  if (ImGui::IsKeyPressed('M', false))
    model.mark = model.timeAt(pointer, width);
  if (ImGui::IsKeyPressed(kKeyEscape, false)) {
    model.selected = {};
    model.mark.reset();
    model.selectRange(std::nullopt);
    model.search("");
  }
}

/// Mouse and keys on the bars.
void interact(TimelineModel &model, ViewContext &context, ImVec2 at, ImVec2 size) {
  const ImGuiIO &io = ImGui::GetIO();
  double x = io.MousePos.x - at.x, y = io.MousePos.y - at.y;
  bool hovered = ImGui::IsItemHovered();
  model.hovered = hovered ? model.sliceAt(x, y) : SliceRef();
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
    if (io.KeyShift) {
      double from = model.timeAt(io.MouseClickedPos[0].x - at.x, size.x);
      model.selectRange(TimeRange{from, model.timeAt(x, size.x)});
    } else {
      model.panPixels(io.MouseDelta.x, size.x);
      model.scrollBy(-io.MouseDelta.y);
    }
  }
  if (hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
      ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).x == 0)
    model.selected = model.hovered;
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    if (model.hovered.valid())
      model.focusOn(model.hovered);
    else
      model.showAll();
  }
  if (hovered && io.MouseWheel != 0) {
    if (io.KeyShift)
      model.scrollBy(-io.MouseWheel * 60 * context.theme.scale);
    else
      model.zoomAt(x, size.x, std::pow(1.25, io.MouseWheel));
  }
  if (hovered && !io.WantTextInput)
    handleKeys(model, context, size.x, x);
  if (hovered && model.hovered.valid()) {
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(model.describe(model.hovered).c_str());
    if (model.mark)
      ImGui::TextUnformatted(
          text(timeText(std::abs(model.beginOf(model.hovered) - *model.mark)), " from the mark").c_str());
    ImGui::EndTooltip();
  }
}

void drawToolbar(TimelineModel &model, const Theme &theme) {
  ImGui::AlignTextToFramePadding();
  heading(model.title.c_str(), theme);
  flow(theme.px(220), theme);
  std::string search = model.searchText();
  ImGui::SetNextItemWidth(theme.px(220));
  if (ImGui::IsKeyPressed(kKeySlash, false) && !ImGui::GetIO().KeyShift && !ImGui::GetIO().WantTextInput)
    ImGui::SetKeyboardFocusHere();
  if (ImGui::InputTextWithHint("##search", "find a region", &search))
    model.search(search);
  auto button = [&](const char *name) {
    flow(buttonWidth(name), theme);
    return ImGui::Button(name);
  };
  if (button("Show all"))
    model.showAll();
  if (model.groupCount() > 1) {
    if (button("Collapse"))
      model.collapseAll(true);
    if (button("Expand"))
      model.collapseAll(false);
  }
  if (model.range() && button("Clear selection"))
    model.selectRange(std::nullopt);
}

} // namespace

void drawTimelineView(TimelineModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  if (model.empty()) {
    wrapped(model.trace()
                ? "This trace holds no slices."
                : "No trace yet. Run a kernel with `profile=True`, or open a trace from the list on the left.",
            theme.faint);
    context.place = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
    return;
  }
  drawToolbar(model, theme);
  ImVec2 space = ImGui::GetContentRegionAvail();
  float side = std::min(theme.px(430), space.x * 0.42f);
  ImGui::BeginChild("timeline", {space.x - side - theme.px(14), 0}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImVec2 corner = ImGui::GetCursorScreenPos(), inner = ImGui::GetContentRegionAvail();
  float names = std::min(theme.px(kNamesWidth), inner.x * 0.35f), bar = theme.px(14);
  ImVec2 at{corner.x + names, corner.y + theme.px(kAxisHeight)};
  ImVec2 size{std::max(inner.x - names - bar, 50.0f), std::max(inner.y - theme.px(kAxisHeight), 50.0f)};
  context.place = {at, size};

  ImGui::SetCursorScreenPos({corner.x, at.y});
  ImGui::InvisibleButton("names", {names, size.y});
  if (ImGui::IsItemClicked())
    if (auto row = model.rowAt(ImGui::GetIO().MousePos.y - at.y); row && row->track < 0)
      model.toggleGroup(row->group);
  if (ImGui::IsItemHovered())
    model.scrollBy(-ImGui::GetIO().MouseWheel * theme.px(60));
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("bars", size);
  interact(model, context, at, size);

  const TimelineFrame &frame = model.compose(size.x, size.y, theme.px(kRowHeight));
  ImDrawList &list = *ImGui::GetWindowDrawList();
  TimelinePainter painter{list, model, theme, at, size, names};
  painter.axis(frame);
  painter.rows(frame);
  painter.range();
  painter.bars(frame);
  painter.arrows(frame);

  // A scrollbar of our own: the rows are not Dear ImGui items.
  if (model.contentHeight() > size.y) {
    ImGui::SetCursorScreenPos({at.x + size.x + 2, at.y});
    ImGui::InvisibleButton("scroll", {bar - 2, size.y});
    float length = std::max(theme.px(24), size.y * float(size.y / model.contentHeight()));
    float travel = size.y - length;
    double hidden = model.contentHeight() - size.y;
    if (ImGui::IsItemActive())
      model.scrollTo((ImGui::GetIO().MousePos.y - at.y - length / 2) / travel * hidden);
    float y = at.y + float(model.scroll() / hidden) * travel;
    list.AddRectFilled({at.x + size.x + 3, y}, {at.x + size.x + bar - 2, y + length},
                       ImGui::IsItemHovered() || ImGui::IsItemActive() ? theme.faint : theme.rule, theme.px(5));
  }
  ImGui::EndChild();
  ImGui::SameLine(0, theme.px(14));
  ImGui::BeginChild("summary", {0, 0});
  drawDetails(model, theme);
  drawStatistics(model, theme);
  ImGui::EndChild();
}

} // namespace lanescope::viz
