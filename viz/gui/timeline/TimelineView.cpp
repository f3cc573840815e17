// The trace view: rows of tracks below a time axis, a panel with the costs of regions, and details of a slice.
#include "viz/gui/timeline/TimelineView.h"

#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Splitter.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/timeline/TimelineGraphs.h"
#include "viz/gui/timeline/TimelinePanel.h"
#include "viz/gui/timeline/TimelineWords.h"
#include "viz/scene/Page.h"
#include "viz/scene/TraceScene.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

namespace {

constexpr float kNamesWidth = 250, kRowHeight = 20, kAxisHeight = 30, kGraphHeight = 44, kOverviewHeight = 62;

/// The height of the graphs between the time axis and the rows.
float heightOfGraphs(const TimelineModel &model, const Theme &theme) {
  return theme.px(kGraphHeight) * float(model.showOverlap + model.showOccupancy) +
         (model.overview() ? theme.px(kOverviewHeight) : 0);
}

/// A track's name in `width` pixels.
std::string trackWords(std::string name, float width) {
  return ImGui::CalcTextSize(name.c_str()).x <= width ? name : elided(shortTrackName(std::move(name)), width);
}

struct TimelinePainter {
  ImDrawList &list;
  TimelineModel &model;
  const Theme &theme;
  ImVec2 at, size; // the area of the bars
  float names;     // width of the names to its left

  float graphsHeight() const { return heightOfGraphs(model, theme); }

  void axis(const TimelineFrame &frame) const {
    float line = theme.small->FontSize, top = at.y - graphsHeight() - theme.px(kAxisHeight), free = 0;
    float base = at.y - graphsHeight();
    list.PushClipRect({at.x, top}, {at.x + size.x, at.y + size.y}, true);
    for (const TimeTick &tick : frame.ticks) {
      float x = at.x + tick.x;
      list.AddLine({x, base - theme.px(tick.major ? 7 : 4)}, {x, base}, theme.faint);
      if (!tick.major)
        continue;
      list.AddLine({x, at.y}, {x, at.y + size.y}, (theme.rule & 0x00FFFFFF) | 0x70000000);
      float width = theme.small->CalcTextSizeA(line, FLT_MAX, 0, tick.text.c_str()).x;
      if (x < free || x + theme.px(4) + width >= at.x + size.x)
        continue; // the previous label extends to this place
      list.AddText(theme.small, line, {x + theme.px(4), top + theme.px(3)}, theme.faint, tick.text.c_str());
      free = x + theme.px(10) + width;
    }
    list.AddLine({at.x, base}, {at.x + size.x, base}, theme.rule);
    list.AddLine({at.x, at.y}, {at.x + size.x, at.y}, theme.rule);
    list.PopClipRect();
  }

  /// Draws the graphs between the axis and the rows.
  void graphs(const TimelineFrame &frame) const {
    float top = at.y - graphsHeight();
    if (model.overview() && frame.overview) {
      GraphPlace place{at.x, top + theme.px(2), at.x + size.x, top + theme.px(kOverviewHeight) - theme.px(4), names};
      drawOverview(list, *model.overview(), *frame.overview, place, theme);
      top += theme.px(kOverviewHeight);
    }
    for (bool occupancy : {false, true}) {
      if (!(occupancy ? model.showOccupancy : model.showOverlap))
        continue;
      GraphPlace place{at.x, top + theme.px(2), at.x + size.x, top + theme.px(kGraphHeight) - theme.px(1), names};
      occupancy ? drawOccupancyGraph(list, frame, place, theme) : drawOverlapGraph(list, frame, place, theme);
      top += theme.px(kGraphHeight);
    }
  }

  /// Draws the number of concurrent blocks in the heading of a processor.
  void blocksOf(const RowRecord &row) const {
    const auto &processes = model.occupancy().processes;
    auto process = std::ranges::lower_bound(processes, model.groupPid(row.group), {}, &core::ProcessTimes::pid);
    if (process == processes.end() || process->pid != model.groupPid(row.group) || process->most == 0)
      return;
    float height = (row.y1 - row.y0 - theme.px(4)) / float(process->most), bottom = at.y + row.y1 - theme.px(2);
    float drawn = 0; // the end of the drawn part, because steps within a pixel are drawn as one
    for (size_t i = 0; i + 1 < process->steps.size(); ++i) {
      float x0 = float(model.pixelAt(process->steps[i].ns - model.originNs(), size.x));
      float x1 = float(model.pixelAt(process->steps[i + 1].ns - model.originNs(), size.x));
      x0 = std::max(x0, drawn), x1 = std::min(std::max(x1, x0), size.x);
      if (process->steps[i].blocks == 0 || x1 - x0 < 0.5f)
        continue;
      list.AddRectFilled(
          {at.x + x0, bottom - height * float(process->steps[i].blocks)}, {at.x + x1, bottom},
          occupancyColour(std::min<size_t>(process->steps[i].blocks, core::OccupancyBin().size() - 1), theme));
      drawn = x1;
    }
  }

  /// Draws the tracks of a folded group in its heading, for the visible part of the trace.
  void foldedRow(const TrackMap &map, const RowRecord &row) const {
    auto x0 = float(model.pixelAt(0, size.x)), x1 = float(model.pixelAt(model.length(), size.x));
    list.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
    drawTrackMap(list, map, {at.x + x0, at.y + row.y0 + theme.px(3)}, {at.x + x1, at.y + row.y1 - theme.px(3)});
    list.PopClipRect();
  }

  /// Draws the critical path or the chain of the selected slice, along rows and between them.
  void path(const TimelineFrame &frame) const {
    if (frame.path.empty())
      return;
    const float below = theme.px(kRowHeight) * 0.36f; // the lower edge of the bars, because labels are above it
    list.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
    for (bool around : {true, false})
      for (size_t n = 0; n < frame.path.size(); ++n) {
        const PathRecord &record = frame.path[n];
        float width = theme.px(record.flies ? 2.5f : 4), y = at.y + record.y + below;
        ImU32 colour = around ? theme.ground : theme.accent;
        float more = around ? theme.px(2.5f) : 0;
        list.AddLine({at.x + record.x0, y}, {at.x + record.x1, y}, colour, width + more);
        if (n > 0 && frame.path[n - 1].y != record.y)
          list.AddLine({at.x + record.x1, y}, {at.x + record.x1, at.y + frame.path[n - 1].y + below}, colour,
                       theme.px(2) + more);
      }
    list.PopClipRect();
  }

  void notes(const TimelineFrame &frame) const {
    float top = at.y - graphsHeight() - theme.px(kAxisHeight);
    list.PushClipRect({at.x, top}, {at.x + size.x, at.y + size.y}, true);
    for (const NoteRecord &note : frame.notes) {
      float x = at.x + note.x, h = theme.px(5), y = at.y - graphsHeight();
      list.AddLine({x, y}, {x, at.y + size.y}, (theme.warning & 0x00FFFFFF) | 0x90000000, theme.px(1.5f));
      list.AddTriangleFilled({x - h, y - 2 * h}, {x + h, y - 2 * h}, {x, y}, theme.warning);
    }
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
        std::string name(model.groupName(row.group));
        // A group of links has no number of tracks, because time in flight does not belong to a track.
        if (int32_t tracks = model.groupSize(row.group))
          name += text("   ", counted(tracks, "track"));
        if (model.showOccupancy)
          blocksOf(row);
        else if (const TrackMap *map = model.foldedMap(row.group))
          foldedRow(*map, row);
        list.AddText({x + theme.px(10), y - line / 2}, theme.ink, name.c_str());
      } else {
        std::string name = trackWords(std::string(model.trackName(row.track)), names - theme.px(28));
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
    float line = theme.small->FontSize,
          // The share of a bar's height for its name, above the strip of the previous trace.
        free = model.ghost() ? 0.7f : 1;
    for (const BarRecord &bar : frame.bars) {
      uint32_t fill = packed(traceColour(bar.name));
      // Slices with the name of the hovered one are emphasised. Slices that do not match the search are faint.
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
                     {std::floor(from.x + theme.px(4)), std::floor(from.y + (free * (to.y - from.y) - line) / 2)},
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

  /// Draws the previous trace in the lower part of each bar, and how its slices have shifted.
  void ghosts(const TimelineFrame &frame) const {
    list.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
    for (const GhostRecord &ghost : frame.ghosts) {
      ImVec2 from{at.x + ghost.x0, at.y + ghost.y0}, to{at.x + ghost.x1, at.y + ghost.y1};
      list.AddRectFilled({from.x, from.y - theme.px(1)}, to, theme.ground);
      uint32_t fill = packed(traceColour(nowNamed(ghost.name)));
      list.AddRectFilled(from, to, (fill & 0x00FFFFFF) | 0xB0000000);
      list.AddLine(from, {from.x, to.y}, theme.ink, theme.px(1));
      float by = at.x + ghost.begin - from.x, y = (from.y + to.y) / 2;
      if (ghost.matched && std::abs(by) >= theme.px(6))
        list.AddLine({from.x, y}, {from.x + by, y}, theme.accent, theme.px(1.5f));
    }
    list.PopClipRect();
  }

  /// Maps a name in the previous trace to its index in the current trace, so that both have the same colour. A name
  /// that the current trace does not have gets an arbitrary colour.
  uint32_t nowNamed(uint32_t name) const {
    const std::vector<std::string> &now = model.trace()->names;
    auto found = std::ranges::find(now, model.ghost()->names[name]);
    return uint32_t(found - now.begin());
  }

  /// Draws the label beside the bar that has grown most.
  void callout(const TimelineFrame &frame) const {
    if (!frame.callout)
      return;
    const CalloutRecord &of = *frame.callout;
    float width = std::min(theme.px(340), size.x - theme.px(24)), pad = theme.px(6), line = theme.small->FontSize;
    ImVec2 extent = theme.small->CalcTextSizeA(line, FLT_MAX, width, of.words.c_str());
    float left = std::clamp(at.x + of.x0, at.x + pad, at.x + size.x - extent.x - 2 * pad);
    float below = at.y + of.y1 + theme.px(14), from = at.y + of.y1, to = below;
    if (below + extent.y + 2 * pad > at.y + size.y) { // there is no room below the bar, so the label is above it
      below = std::max(at.y + of.y0 - theme.px(14) - extent.y - 2 * pad, at.y);
      from = at.y + of.y0, to = below + extent.y + 2 * pad;
    }
    list.PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
    list.AddRect({at.x + of.x0, at.y + of.y0}, {at.x + of.x1, at.y + of.y1}, theme.warning, 0, 0, theme.px(2));
    list.AddLine({at.x + (of.x0 + of.x1) / 2, from}, {left + theme.px(16), to}, theme.warning, theme.px(1.5f));
    list.AddRectFilled({left, below}, {left + extent.x + 2 * pad, below + extent.y + 2 * pad}, theme.panel,
                       theme.px(4));
    list.AddRect({left, below}, {left + extent.x + 2 * pad, below + extent.y + 2 * pad}, theme.warning, theme.px(4));
    list.AddText(theme.small, line, {left + pad, below + pad}, theme.ink, of.words.c_str(), nullptr, width);
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
        // Arrows leave and arrive in the direction of time. So arrows between close moments bend outwards.
        float bow = std::max(theme.px(12), std::min(std::abs(to.x - from.x) / 2, theme.px(80)));
        float head = theme.px(lit ? 8.0f : 6.5f);
        float width = theme.px(lit ? 2.2f : 1.5f);
        // An outline in the colour of the paper separates the arrow from the bars that it crosses.
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
    list.PushClipRect({at.x, at.y - graphsHeight() - theme.px(kAxisHeight)}, {at.x + size.x, at.y + size.y}, true);
    if (model.range()) {
      float x0 = at.x + float(model.pixelAt(model.range()->begin, size.x));
      float x1 = at.x + float(model.pixelAt(model.range()->end, size.x));
      list.AddRectFilled({x0, at.y - theme.px(8)}, {x1, at.y + size.y}, theme.selection);
      list.AddLine({x0, at.y}, {x0, at.y + size.y}, theme.accent);
      list.AddLine({x1, at.y}, {x1, at.y + size.y}, theme.accent);
    }
    if (model.mark) {
      float x = at.x + float(model.pixelAt(*model.mark, size.x));
      list.AddLine({x, at.y - graphsHeight() - theme.px(kAxisHeight)}, {x, at.y + size.y}, theme.warning, theme.px(2));
    }
    list.PopClipRect();
  }
};

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
  if (ImGui::IsKeyPressed('P', false))
    model.showPath = !model.showPath;
  if (ImGui::IsKeyPressed('O', false))
    model.showOverlap = !model.showOverlap;
  if (ImGui::IsKeyPressed('B', false))
    model.showOccupancy = !model.showOccupancy;
  if (ImGui::IsKeyPressed('C', false) && model.canCompare())
    model.compare(!model.comparison());
  if (ImGui::IsKeyPressed('L', false))
    model.askForCode();
  if (ImGui::IsKeyPressed('N', false)) {
    model.notes.writingAt = model.timeAt(pointer, width);
    model.notes.draft.clear();
  }
  if (ImGui::IsKeyPressed(kKeyEscape, false)) {
    model.notes.writingAt.reset();
    model.selected = {};
    model.mark.reset();
    model.selectRange(std::nullopt);
    model.filter.search("");
  }
}

/// Handles the mouse and the keys on the bars.
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
    model.select(model.hovered);
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
  if (!io.WantTextInput && !io.KeyAlt && !io.KeyCtrl) // the view in front gets the keys wherever the pointer is
    handleKeys(model, context, size.x, hovered ? x : size.x / 2);
  // The side bar then shows the words, and no tooltip has to hide anything.
  bool beside = !context.arranged.side.folding.folded;
  if (hovered && model.hovered.valid() && !beside) {
    std::string words = model.describe(model.hovered);
    if (std::string before = model.beforeWords(model.hovered); !before.empty())
      words += text("\n", before);
    if (model.mark)
      words += text("\n", timeText(std::abs(model.beginOf(model.hovered) - *model.mark)), " from the mark");
    tip(words, context.theme);
  } else if (hovered && !model.hovered.valid() && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    if (std::string gap = model.gapWords(x, y, size.x); !gap.empty())
      tip(gap, context.theme);
  }
}

void drawToolbar(TimelineModel &model, const Theme &theme) {
  const float gap = theme.px(8);
  ImGui::AlignTextToFramePadding();
  heading(model.title.c_str(), theme);
  const float field = std::min(theme.px(220), ImGui::GetContentRegionAvail().x * 0.2f);
  flow(field, theme);
  std::string search = model.filter.searchText();
  ImGui::SetNextItemWidth(field);
  if (ImGui::IsKeyPressed(kKeySlash, false) && !ImGui::GetIO().KeyShift && !ImGui::GetIO().WantTextInput)
    ImGui::SetKeyboardFocusHere();
  if (ImGui::InputTextWithHint("##search", "find a region", &search))
    model.filter.search(search);
  auto button = [&](const char *name, const char *about) {
    flow(buttonWidth(name), gap);
    bool clicked = ImGui::Button(name);
    hint(about);
    return clicked;
  };
  if (button("Show all", "the whole trace (F)"))
    model.showAll();
  auto switched = [&](const char *name, bool &on, const char *about) {
    flow(buttonWidth(name), gap);
    bool changed = toggle(name, on, theme);
    hint(about);
    return changed;
  };
  switched("Critical path", model.showPath, "what the time went to, one thing after another (P)");
  switched("Overlap", model.showOverlap, "copies, products and waits side by side over time (O)");
  switched("Blocks", model.showOccupancy, "blocks on each processor over time (B)");
  if (model.canCompare()) {
    bool comparing = model.comparison().has_value();
    if (switched("Compare", comparing, text("with the trace before, ", model.previousTitle(), " (C)").c_str()))
      model.compare(comparing);
  }
  if (model.groupCount() > 1) {
    if (button("Collapse", "a line for each SM"))
      model.collapseAll(true);
    if (button("Expand", "all tracks"))
      model.collapseAll(false);
  }
  if (model.range() && button("Clear selection", "no stretch is selected (Esc)"))
    model.selectRange(std::nullopt);
}

/// Draws the rows below their axis.
void drawTracks(TimelineModel &model, ImVec2 whole, ViewContext &context) {
  const Theme &theme = context.theme;
  ImGui::BeginChild("timeline", whole, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImVec2 corner = ImGui::GetCursorScreenPos(), inner = ImGui::GetContentRegionAvail();
  float names = std::min(theme.px(kNamesWidth), inner.x * 0.35f), bar = theme.px(14);
  float graphs = heightOfGraphs(model, theme);
  float above = theme.px(kAxisHeight) + graphs;
  ImVec2 at{corner.x + names, corner.y + above};
  ImVec2 size{std::max(inner.x - names - bar, 50.0f), std::max(inner.y - above, 50.0f)};
  context.place = {at, size};

  if (model.showOccupancy) {
    ImGui::SetCursorScreenPos({at.x, at.y - theme.px(kGraphHeight)}); // the lower one of two graphs
    ImGui::InvisibleButton("blocks", {size.x, theme.px(kGraphHeight)});
    if (ImGui::IsItemHovered())
      tip(occupancyAt(model, model.timeAt(ImGui::GetIO().MousePos.x - at.x, size.x)), theme);
  }
  if (model.overview()) {
    ImGui::SetCursorScreenPos({at.x, at.y - graphs});
    ImGui::InvisibleButton("all tracks", {size.x, theme.px(kOverviewHeight)});
    if (ImGui::IsItemActive())
      model.goToOverview((ImGui::GetIO().MousePos.x - at.x) / size.x,
                         (ImGui::GetIO().MousePos.y - at.y + graphs) / theme.px(kOverviewHeight));
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
      tip("all tracks of the trace, a row for one or a few; click or drag: show that part below", theme);
  }
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
  painter.graphs(frame);
  painter.rows(frame);
  painter.range();
  painter.bars(frame);
  painter.ghosts(frame);
  painter.path(frame);
  painter.arrows(frame);
  painter.notes(frame);
  painter.callout(frame);

  // The scroll bar is not one of Dear ImGui, because the rows are not its items.
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
}

} // namespace

void drawTimelineView(TimelineModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  model.poll();
  if (model.empty()) {
    wrapped(model.trace()
                ? "This trace holds no slices."
                : "No trace yet. Run a kernel with `profile=True`, or open a trace from the list on the left.",
            theme.faint);
    context.place = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
    return;
  }
  drawToolbar(model, theme);
  if (!model.remark.empty())
    wrapped(model.remark, theme.warning);
  context.arranged.side.folding.decide(false);
  float side = std::min(theme.px(430), ImGui::GetContentRegionAvail().x * 0.42f);
  withSideBar(
      context.arranged.side, side, theme.px(14), theme, [&](ImVec2 size) { drawTracks(model, size, context); },
      [&](ImVec2 size) {
        ImGui::BeginChild("summary", size);
        drawTimelinePanel(model, theme);
        ImGui::EndChild();
      });
}

} // namespace lanescope::viz
