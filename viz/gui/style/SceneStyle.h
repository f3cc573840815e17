// The part of the window's theme that the models of pictures use. This file does not use Dear ImGui.
#pragma once

#include "viz/scene/Scene.h"

namespace lanescope::viz {

/// The colour in Dear ImGui's format: 0xAABBGGRR.
constexpr uint32_t packed(Colour c) {
  return uint32_t(c.r) | uint32_t(c.g) << 8 | uint32_t(c.b) << 16 | uint32_t(c.a) << 24;
}

/// The part of the window's style on which records depend.
struct SceneStyle {
  double glyphWidth = 0.6; // width of a character, in font sizes
  double smallestText = 9; // font pixels; smaller labels are omitted
  double largestText = 17;
  double tickText = 13;      // font pixels
  double smallestCell = 6;   // pixels; smaller cells are drawn as an image
  uint32_t lit = 0xFFFFFFFF; // is mixed into small lit cells, so that they stand out
  double litShare = 0;
  uint32_t hatch = 0x60000000; // the colour of the hatch over copies
  Colour empty{246, 248, 250}; // replaces the scene's colour for empty cells
  bool operator==(const SceneStyle &) const = default;
};

} // namespace lanescope::viz
