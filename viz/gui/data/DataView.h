// Draws a file's arrays and images.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/data/DataModel.h"

namespace lanescope::viz {

void drawDataView(DataModel &model, ViewContext &context);

} // namespace lanescope::viz
