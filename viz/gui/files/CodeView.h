// The code view, drawn.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/files/CodeModel.h"

namespace lanescope::viz {

void drawCodeView(CodeModel &model, ViewContext &context);

} // namespace lanescope::viz
