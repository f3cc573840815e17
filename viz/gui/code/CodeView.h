// The code view, drawn.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/code/CodeModel.h"

namespace lanescope::viz {

/// The picture of an array that someone wants in the layout view; nothing most of the time.
std::optional<ViewSpec> drawCodeView(CodeModel &model, ViewContext &context);
/// What stands beside its texts: what the lit lines cost, their arrays and memories. As drawCodeView().
std::optional<ViewSpec> drawCodeSide(CodeModel &model, ViewContext &context);

} // namespace lanescope::viz
