// The layout explorer, drawn.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/explorer/ExplorerModel.h"

namespace lanescope::viz {

/// Where each picture was drawn in the last frame: scripts point with it.
using PanePlaces = std::array<CanvasPlace, kPanes>;

void drawExplorerView(ExplorerModel &model, PanePlaces &places, ViewContext &context);
/// What stands beside its pictures.
void drawExplorerSide(ExplorerModel &model, ViewContext &context);

} // namespace lanescope::viz
