// The panel beside the timeline: the selected slice and the reason for its length, the critical path, overlap, changes
// since another trace, notes, and the time spent in regions.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/gui/timeline/TimelineModel.h"

namespace lanescope::viz {

void drawTimelinePanel(TimelineModel &model, const Theme &theme);

/// A state's colour in the graph of overlap and in its legend.
ImU32 overlapColour(core::OverlapState state, const Theme &theme);
/// The colour of a processor with `blocks` blocks, from 1.
ImU32 occupancyColour(size_t blocks, const Theme &theme);

} // namespace lanescope::viz
