// A scene as one page: title, axes, body, legend and notes in their places, with nothing cut off. Files draw this.
#pragma once

#include "viz/scene/Scene.h"

namespace lanescope::viz {

struct Page {
  double width = 0, height = 0;
  Point bodyAt;      // the place of the scene's body
  Picture furniture; // everything else, in page coordinates
  Colour paper, ink; // the theme's background, and the colour of hatches
  double hatch = 1;  // scales the hatch's pitch and width: it is wider in large pictures, which are viewed from further
                     // away
};

Page page(const Scene &scene);

/// The width in pixels of one line in DejaVu Sans, from a table, so that page layouts do not depend on the machine's
/// fonts.
double textWidth(std::string_view text, double size, bool bold = false);
/// Breaks at spaces so that each line is at most `width` pixels wide; a longer word stays whole.
std::vector<std::string> wrapText(std::string_view text, double size, double width);

} // namespace lanescope::viz
