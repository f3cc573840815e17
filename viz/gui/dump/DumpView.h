// Draws a dump's page. Operations are on the left, and the chosen value's picture and description are on the right.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/dump/DumpModel.h"

namespace lanescope::viz {

/// Draws the page. Returns an entry for the console to run; empty if none.
std::string drawDumpView(DumpModel &model, ViewContext &context);

} // namespace lanescope::viz
