// The debugger's view. It shows the code with the warps in it, the time, and panels with the state at the current
// moment.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/debugger/DebuggerModel.h"

namespace lanescope::viz {

void drawDebuggerView(DebuggerModel &model, ViewContext &context);

/// The parts of the view. Each part fills the room that the others leave.
void drawDebuggerCode(DebuggerModel &model, ViewContext &context);
void drawDebuggerPanel(DebuggerModel &model, ViewContext &context);
void drawSharedMemory(DebuggerModel &model, const DebugPage &page, ViewContext &context);
void drawTensorMemory(DebuggerModel &model, const DebugPage &page, ViewContext &context);
void drawStops(DebuggerModel &model, const DebugPage &page, ViewContext &context);
void drawWaits(const DebugPage &page, ViewContext &context);
void drawValues(DebuggerModel &model, ViewContext &context);
void drawArrays(DebuggerModel &model, ViewContext &context);

/// Handles the keys that are not in debugActions().
void takeDebuggerKeys(DebuggerModel &model);

/// hueInk(): the colour of the array with this number. The function after it draws the colour with the array's name.
ImU32 hueInk(size_t number, const Theme &theme);
void drawSwatch(const std::string &name, size_t number, const Theme &theme);

/// A warp's colour in the theme, the same as in pictures of layouts.
ImU32 warpInk(uint32_t warp, const Theme &theme);

} // namespace lanescope::viz
