// A scene as one page: title, axes, body, legend and notes are placed so that nothing is cut off. File formats draw
// this.
#pragma once

#include "viz/scene/Scene.h"

namespace lanescope::viz {

struct Page {
  double width = 0, height = 0;
  Point bodyAt;      // the place of the scene's body
  Picture furniture; // everything except the body, in page coordinates
  Colour paper, ink; // the theme's background, and the colour of hatches
  // Scales the pitch and width of the hatch. It is wider in large pictures, which are viewed from a greater distance.
  double hatch = 1;
};

Page page(const Scene &scene);

/// The width in pixels of one line in DejaVu Sans. It comes from a table, so that page layouts do not depend on the
/// fonts of the machine.
double textWidth(std::string_view text, double size, bool bold = false);
/// Breaks a text at spaces so that each line is at most `width` pixels wide. A longer word is not broken.
std::vector<std::string> wrapText(std::string_view text, double size, double width);

} // namespace lanescope::viz
