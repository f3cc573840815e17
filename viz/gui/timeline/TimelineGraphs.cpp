#include "viz/gui/timeline/TimelineGraphs.h"

#include "viz/gui/timeline/TimelinePanel.h"

namespace lanescope::viz {

namespace {

void title(ImDrawList &list, const char *words, const GraphPlace &place, const Theme &theme) {
  float size = theme.small->FontSize;
  list.AddText(theme.small, size, {place.left - place.names + theme.px(20), (place.top + place.bottom - size) / 2},
               theme.faint, words);
}

/// Steps of stacked shares; `colourOf(level)`: 0 is not drawn. Levels stand on each other in the order given.
template <typename Steps, typename Share, typename ColourOf>
void stacked(ImDrawList &list, const Steps &steps, const std::vector<size_t> &levels, const GraphPlace &place,
             Share share, ColourOf colourOf) {
  float step = steps.empty() ? 0 : (place.right - place.left) / float(steps.size());
  for (size_t n = 0; n < steps.size();) {
    size_t next = n + 1; // equal neighbours are one
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

void drawOccupancyGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme) {
  list.PushClipRect({place.left - place.names, place.top}, {place.right, place.bottom}, true);
  title(list, "blocks on processors", place, theme);
  stacked(
      list, frame.occupancy, {4, 3, 2, 1}, place, [](const core::OccupancyBin &bin) -> const auto & { return bin; },
      [&](size_t level) { return occupancyColour(level, theme); });
  list.AddLine({place.left, place.top}, {place.right, place.top}, theme.rule);
  if (frame.tail) {
    float x = place.left + *frame.tail, size = theme.small->FontSize;
    list.AddLine({x, place.top}, {x, place.bottom}, theme.warning, theme.px(2));
    constexpr const char *kWords = "tail";
    float width = theme.small->CalcTextSizeA(size, FLT_MAX, 0, kWords).x;
    bool behind = x + theme.px(6) + width < place.right; // where there is room for it
    ImVec2 at{behind ? x + theme.px(4) : x - theme.px(4) - width, place.top + theme.px(2)};
    list.AddRectFilled({at.x - theme.px(2), at.y}, {at.x + width + theme.px(2), at.y + size}, theme.panel, theme.px(2));
    list.AddText(theme.small, size, at, theme.ink, kWords);
  }
  list.PopClipRect();
}

} // namespace lanescope::viz
