// The graphs under the timeline's axis: what overlapped, and blocks on processors, each at every step of the view.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/gui/timeline/TimelineModel.h"

namespace lanescope::viz {

/// Where a graph lies; its name stands in `names` pixels before it.
struct GraphPlace {
  float left, top, right, bottom, names;
};
/// The cells of a map in a rectangle.
void drawTrackMap(ImDrawList &list, const TrackMap &map, ImVec2 from, ImVec2 to);
/// All tracks of the trace as rows of their regions' colours, with what is in sight framed.
void drawOverview(ImDrawList &list, const TrackMap &map, const OverviewRecord &shown, const GraphPlace &place,
                  const Theme &theme);
/// The states' shares, stacked, the tensor core's at the bottom.
void drawOverlapGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme);
/// Shares of the processors by blocks at once, the fullest at the bottom; what is empty above is lost. From the line
/// on some processor has nothing left to do: the tail.
void drawOccupancyGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme);

} // namespace lanescope::viz
