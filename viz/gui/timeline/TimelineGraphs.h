// The graphs under the timeline's axis: overlap, and blocks on processors, each for every step of the view.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/gui/timeline/TimelineModel.h"

namespace lanescope::viz {

/// The place of a graph. Its name is in the `names` pixels to the left.
struct GraphPlace {
  float left, top, right, bottom, names;
};
/// Draws the cells of a map in a rectangle.
void drawTrackMap(ImDrawList &list, const TrackMap &map, ImVec2 from, ImVec2 to);
/// Draws all tracks of the trace as rows in the colours of their regions, with a frame around the part in sight.
void drawOverview(ImDrawList &list, const TrackMap &map, const OverviewRecord &shown, const GraphPlace &place,
                  const Theme &theme);
/// Draws the states' shares stacked, with the tensor core's at the bottom.
void drawOverlapGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme);
/// Draws the shares of processors by their number of concurrent blocks, the fullest at the bottom. The empty part above
/// is lost time. The tail begins at the line: from there on, some processor has nothing left to do.
void drawOccupancyGraph(ImDrawList &list, const TimelineFrame &frame, const GraphPlace &place, const Theme &theme);

} // namespace lanescope::viz
