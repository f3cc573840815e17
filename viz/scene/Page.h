// A scene as one page: title, axes, body, legend and notes in their places, nothing cut off. Files draw this.
#pragma once

#include "viz/scene/Scene.h"

namespace lanescope::viz {

struct Page {
  double width = 0, height = 0;
  Point bodyAt;      // where the scene's body goes
  Picture furniture; // everything else, in page coordinates
  Colour paper, ink; // of the scene's theme: the ground, and what a hatch is drawn in
  double hatch = 1;  // of its pitch and width: wider in large pictures, which are looked at from further away
};

Page page(const Scene &scene);

/// Width in pixels of one line in DejaVu Sans, from a table: layouts of text must not depend on the machine's fonts.
double textWidth(std::string_view text, double size, bool bold = false);
/// Breaks at spaces so that each line is at most `width` pixels wide; a longer word stays whole.
std::vector<std::string> wrapText(std::string_view text, double size, double width);

} // namespace lanescope::viz
