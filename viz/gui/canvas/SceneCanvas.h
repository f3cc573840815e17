// Draws a SceneModel with Dear ImGui and turns the mouse into zoom, pan and what is under the pointer.
//
// Wheel: zoom at the pointer. Drag: pan. Double click: all of it. In the minimap, which is there while part of the
// picture is not: a click or drag moves to that place.
#pragma once

#include "viz/gui/canvas/SceneModel.h"
#include "viz/gui/canvas/Textures.h"
#include "viz/gui/style/Theme.h"

namespace lanescope::viz {

/// Where the picture was drawn in the last frame, in screen pixels: scripts point with it.
struct CanvasPlace {
  ImVec2 at{0, 0}, size{0, 0};
};

struct CanvasEvents {
  bool hovered = false; // the pointer is on the canvas
  Spot under;           // what is under it
  bool clicked = false; // pressed and released without moving
};

/// Fills `size` with the picture and its axes.
CanvasEvents drawSceneCanvas(const char *id, SceneModel &model, const Theme &theme, Textures &textures, ImVec2 size,
                             CanvasPlace &place);
/// Words at the pointer; nothing for none.
void drawTooltip(const std::string &words, const Theme &theme);
/// A legend in the width that is left: two entries a line where all are short, else one, wrapped.
void drawLegend(std::span<const LegendEntry> legend, const Theme &theme);
/// A coloured square with an optional text on it, `size` pixels.
void drawSwatch(ImDrawList &list, ImVec2 at, ImVec2 size, const LegendEntry &entry, const Theme &theme);

} // namespace lanescope::viz
