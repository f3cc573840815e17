// Draws the code view.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/code/CodeModel.h"

namespace lanescope::viz {

/// Draws the texts. Returns the picture of an array if the user requests it in the layout view.
std::optional<ViewSpec> drawCodeView(CodeModel &model, ViewContext &context);
/// Draws the bar beside the texts: the costs of the lit lines, their arrays and memories. Returns the same as
/// drawCodeView().
std::optional<ViewSpec> drawCodeSide(CodeModel &model, ViewContext &context);

} // namespace lanescope::viz
