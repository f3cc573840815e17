// Draws the layout explorer.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/explorer/ExplorerModel.h"

namespace lanescope::viz {

/// The place of each picture in the last frame. Scripts use it for their pointer.
using PanePlaces = std::array<CanvasPlace, kPanes>;

void drawExplorerView(ExplorerModel &model, PanePlaces &places, ViewContext &context);
/// Draws the bar beside the pictures.
void drawExplorerSide(ExplorerModel &model, ViewContext &context);

} // namespace lanescope::viz
