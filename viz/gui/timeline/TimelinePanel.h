// The panel beside the timeline: the selected slice and why it took so long, the critical path, what overlapped, what
// changed since another trace, notes, where the time went.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/gui/timeline/TimelineModel.h"

namespace lanescope::viz {

void drawTimelinePanel(TimelineModel &model, const Theme &theme);

/// Fill of a state in the graph of overlap and in its legend.
ImU32 overlapColour(core::OverlapState state, const Theme &theme);
/// Of a processor with that many blocks, from 1.
ImU32 occupancyColour(size_t blocks, const Theme &theme);

} // namespace lanescope::viz
