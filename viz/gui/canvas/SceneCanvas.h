// Draws a SceneModel with Dear ImGui. Converts mouse input to zoom, pan and the spot under the pointer.
//
// The wheel zooms at the pointer, a drag pans, and a double click shows the whole picture. The minimap is shown while
// part of the picture is off the canvas; a click or drag in it moves to that place.
#pragma once

#include "viz/gui/canvas/SceneModel.h"
#include "viz/gui/canvas/SceneTextures.h"
#include "viz/gui/style/Theme.h"

namespace lanescope::viz {

/// The place of the picture in the last frame, in screen pixels. Scripts use it for their pointer.
struct CanvasPlace {
  ImVec2 at{0, 0}, size{0, 0};
};

struct CanvasEvents {
  bool hovered = false; // the pointer is on the canvas
  Spot under;           // the spot under the pointer
  bool clicked = false; // pressed and released without moving
};

/// Fills `size` with the picture and its axes.
CanvasEvents drawSceneCanvas(const char *id, SceneModel &model, const Theme &theme, Textures &textures, ImVec2 size,
                             CanvasPlace &place);
/// Draws words at the pointer; nothing if `words` is empty.
void drawTooltip(const std::string &words, const Theme &theme);
/// Draws a legend in the remaining width. If all entries are short, there are two per line; otherwise, each entry is
/// wrapped on lines of its own.
void drawLegend(std::span<const LegendEntry> legend, const Theme &theme);
/// Draws a coloured square of `size` pixels with an optional text on it.
void drawSwatch(ImDrawList &list, ImVec2 at, ImVec2 size, const LegendEntry &entry, const Theme &theme);

} // namespace lanescope::viz
