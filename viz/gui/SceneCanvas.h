// Draws a SceneModel with Dear ImGui and turns mouse and keys into zoom, pan, hover and pin.
//
// Wheel: zoom at the pointer. Drag: pan. Click: pin what lights up; Escape lets go. Double click or F: all of it.
#pragma once

#include "viz/gui/SceneModel.h"
#include "viz/gui/Theme.h"

namespace lanescope::viz {

/// Where the picture was drawn in the last frame, in screen pixels: scripts point with it.
struct CanvasPlace {
  ImVec2 at{0, 0}, size{0, 0};
};

/// Fills `size` with the picture and its axes. True when the pointer is on the picture.
bool drawSceneCanvas(const char *id, SceneModel &model, const Theme &theme, ImVec2 size, CanvasPlace &place);
/// The legend, one entry a line, wrapped to the width that is left.
void drawLegend(const Scene &scene, const Theme &theme);
/// A coloured square with an optional text on it, `size` pixels.
void drawSwatch(ImDrawList &list, ImVec2 at, ImVec2 size, const LegendEntry &entry, const Theme &theme);
/// Messages, wrapped. With a `field`: those that point into the field of that name, or (`only` false) all others.
void drawDiagnostics(const Diagnostics &diagnostics, const Theme &theme, std::string_view field = {}, bool only = true);

} // namespace lanescope::viz
