#include "viz/gui/timeline/TimelineGraphs.h"

#include "viz/gui/style/Widgets.h"
#include "viz/gui/timeline/TimelinePanel.h"
#include "viz/scene/TraceScene.h"

namespace lanescope::viz {

namespace {

void title(ImDrawList &list, const char *words, const GraphPlace &place, const Theme &theme) {
  float size = theme.small->FontSize;
  ImGui::PushFont(theme.small);
  std::string shown = elided(words, place.names - theme.px(24));
  ImGui::PopFont();
  list.AddText(theme.small, size, {place.left - place.names + theme.px(20), (place.top + place.bottom - size) / 2},
               theme.faint, shown.c_str());
}

/// Draws steps of stacked shares. The levels are stacked in the given order. A level with colour 0 is not drawn.
template <typename Steps, typename Share, typename ColourOf>
void stacked(ImDrawList &list, const Steps &steps, const std::vector<size_t> &levels, const GraphPlace &place,
             Share share, ColourOf colourOf) {
  float step = steps.empty() ? 0 : (place.right - place.left) / float(steps.size());
  for (size_t n = 0; n < steps.size();) {
    size_t next = n + 1; // equal adjacent steps are drawn as one
    while (next < steps.size() && share(steps[next]) == share(steps[n]))
      ++next;
    float y = place.bottom;
    for (size_t level : levels) {
      float height = float(share(steps[n])[level]) * (place.bottom - place.top);
      if (height > 0)
        list.AddRectFilled({place.left + float(n) * step, y - height}, {place.left + float(next) * step, y},
                           colourOf(level));
      y -= height;
    }
    n = next;
  }
}

} // namespace

void drawOverlapGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme) {
  list.PushClipRect({place.left - place.names, place.top}, {place.right, place.bottom}, true);
  title(list, "overlap", place, theme);
  std::vector<size_t> levels;
  for (size_t s = 0; s + 1 < core::kOverlapStates; ++s)
    levels.push_back(s);
  stacked(
      list, frame.overlap, levels, place, [](const core::OverlapShares &of) -> const auto & { return of.of; },
      [&](size_t level) { return overlapColour(static_cast<core::OverlapState>(level), theme); });
  list.PopClipRect();
}

void drawTrackMap(ImDrawList &list, const TrackMap &map, ImVec2 from, ImVec2 to) {
  const float wide = (to.x - from.x) / float(map.columns),
              high = (to.y - from.y) / float(std::max<size_t>(map.rows, 1));
  map.forRuns([&](size_t row, size_t begin, size_t end, uint32_t name) {
    list.AddRectFilled({from.x + float(begin) * wide, from.y + float(row) * high},
                       {from.x + float(end) * wide, from.y + float(row + 1) * high}, packed(traceColour(name)));
  });
}

void drawOverview(ImDrawList &list, const TrackMap &map, const OverviewRecord &shown, const GraphPlace &place,
                  const Theme &theme) {
  list.PushClipRect({place.left - place.names, place.top}, {place.right, place.bottom}, true);
  title(list, "all tracks", place, theme);
  drawTrackMap(list, map, {place.left, place.top}, {place.right, place.bottom});
  float wide = place.right - place.left, high = place.bottom - place.top;
  ImVec2 from{place.left + shown.x0 * wide, place.top + shown.y0 * high};
  ImVec2 to{std::max(place.left + shown.x1 * wide, from.x + theme.px(3)),
            std::max(place.top + shown.y1 * high, from.y + theme.px(3))};
  list.AddRect(from, to, theme.ground, 0, 0, theme.px(4));
  list.AddRect(from, to, theme.accent, 0, 0, theme.px(2));
  list.PopClipRect();
}

void drawOccupancyGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme) {
  list.PushClipRect({place.left - place.names, place.top}, {place.right, place.bottom}, true);
  title(list, "blocks", place, theme);
  stacked(
      list, frame.occupancy, {4, 3, 2, 1}, place, [](const core::OccupancyBin &bin) -> const auto & { return bin; },
      [&](size_t level) { return occupancyColour(level, theme); });
  list.AddLine({place.left, place.top}, {place.right, place.top}, theme.rule);
  if (frame.tail) {
    float x = place.left + *frame.tail, size = theme.small->FontSize;
    list.AddLine({x, place.top}, {x, place.bottom}, theme.warning, theme.px(2));
    constexpr const char *kWords = "tail";
    float width = theme.small->CalcTextSizeA(size, FLT_MAX, 0, kWords).x;
    bool behind = x + theme.px(6) + width < place.right; // true if the label has room to the right of the line
    ImVec2 at{behind ? x + theme.px(4) : x - theme.px(4) - width, place.top + theme.px(2)};
    list.AddRectFilled({at.x - theme.px(2), at.y}, {at.x + width + theme.px(2), at.y + size}, theme.panel, theme.px(2));
    list.AddText(theme.small, size, at, theme.ink, kWords);
  }
  list.PopClipRect();
}

} // namespace lanescope::viz
