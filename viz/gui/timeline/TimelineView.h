// Draws the trace view.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/timeline/TimelineModel.h"

namespace lanescope::viz {

void drawTimelineView(TimelineModel &model, ViewContext &context);

} // namespace lanescope::viz
