// What the models of pictures know of the window's theme, without Dear ImGui.
#pragma once

#include "viz/scene/Scene.h"

namespace lanescope::viz {

/// Packed as Dear ImGui wants it: 0xAABBGGRR.
constexpr uint32_t packed(Colour c) {
  return uint32_t(c.r) | uint32_t(c.g) << 8 | uint32_t(c.b) << 16 | uint32_t(c.a) << 24;
}

/// How the window draws scenes, as far as the records depend on it.
struct SceneStyle {
  double glyphWidth = 0.6; // of a character, in font sizes
  double smallestText = 9; // font pixels; smaller labels are left out
  double largestText = 17;
  double tickText = 13;      // font pixels
  double smallestCell = 6;   // pixels; below, an image is drawn
  uint32_t lit = 0xFFFFFFFF; // mixed into small lit cells, so that they stand out
  double litShare = 0;
  uint32_t hatch = 0x60000000; // over copies
  Colour empty{246, 248, 250}; // instead of the scene's colour for cells that hold nothing
  bool operator==(const SceneStyle &) const = default;
};

} // namespace lanescope::viz
