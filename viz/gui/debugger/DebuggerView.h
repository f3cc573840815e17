// The debugger's view: code with the warps in it, time, and panels of what is there at the moment.
#pragma once

#include "viz/gui/canvas/ViewContext.h"
#include "viz/gui/debugger/DebuggerModel.h"

namespace lanescope::viz {

void drawDebuggerView(DebuggerModel &model, ViewContext &context);

/// Parts of it, each in the room that is left.
void drawDebuggerCode(DebuggerModel &model, ViewContext &context);
void drawDebuggerPanel(DebuggerModel &model, ViewContext &context);
void drawSharedMemory(DebuggerModel &model, const DebugPage &page, ViewContext &context);
void drawTensorMemory(DebuggerModel &model, const DebugPage &page, ViewContext &context);
void drawStops(DebuggerModel &model, const DebugPage &page, ViewContext &context);
void drawWaits(const DebugPage &page, ViewContext &context);
void drawValues(DebuggerModel &model, ViewContext &context);
void drawArrays(DebuggerModel &model, ViewContext &context);

/// Keys other than those of debugActions().
void takeDebuggerKeys(DebuggerModel &model);

/// The colour of the array with this number, and its name with it, in a row.
ImU32 hueInk(size_t number, const Theme &theme);
void drawSwatch(const std::string &name, size_t number, const Theme &theme);

/// A warp's colour in the theme, as pictures of layouts have it.
ImU32 warpInk(uint32_t warp, const Theme &theme);

} // namespace lanescope::viz
