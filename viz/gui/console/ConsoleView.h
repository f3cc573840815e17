// The console, drawn.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/console/ConsoleModel.h"

namespace lanescope::viz {

void drawConsoleView(ConsoleModel &model, ViewContext &context);

} // namespace lanescope::viz
