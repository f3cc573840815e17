// The graphs below the timeline's axis: overlap, and the blocks on processors. Both have a value for each step of the
// view.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/gui/timeline/TimelineModel.h"

namespace lanescope::viz {

/// The place of a graph. The graph's name is in the `names` pixels to its left.
struct GraphPlace {
  float left, top, right, bottom, names;
};
/// Draws the cells of a map in a rectangle.
void drawTrackMap(ImDrawList &list, const TrackMap &map, ImVec2 from, ImVec2 to);
/// Draws all tracks of the trace as rows in the colours of their regions, with a frame around the visible part.
void drawOverview(ImDrawList &list, const TrackMap &map, const OverviewRecord &shown, const GraphPlace &place,
                  const Theme &theme);
/// Draws the shares of the states on top of each other, with those of the tensor core at the bottom.
void drawOverlapGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme);
/// Draws the shares of processors, stacked by their number of concurrent blocks, with the highest number at the bottom.
/// The empty part at the top is lost time. A line marks the beginning of the tail: from there on, some processor has
/// nothing left to do.
void drawOccupancyGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme);

} // namespace lanescope::viz
