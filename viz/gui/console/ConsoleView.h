// Draws the console.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/console/ConsoleModel.h"

namespace lanescope::viz {

/// The height of the panel of a folded console: its entry and the space around it.
float foldedConsoleHeight(const Theme &theme);
/// The height of a console that shows all its lines.
float usedConsoleHeight(const ConsoleModel &model, const Theme &theme);
void drawConsoleView(ConsoleModel &model, ViewContext &context);

} // namespace lanescope::viz
