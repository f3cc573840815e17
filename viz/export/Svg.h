// SVG 1.1. Text stays text, so it can be searched and selected. A grid with too many cells for tooltips is written as
// one path per colour, in which neighbouring cells are joined.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

struct SvgOptions {
  int64_t maxTitles = 4096; // if there are more boxes, they have no <title>, which browsers show as a tooltip
  /// For a script: the body's boxes become, in order, elements of class `b` in a group that can take the keyboard
  /// focus.
  bool interactive = false;
  int number = 0; // the picture's number in its page, which makes ids unique
};

/// Returns a whole <svg> element. A standalone SVG file begins with an XML declaration. An interactive one has no
/// declaration, because it is for HTML.
std::string toSvg(const Scene &scene, const SvgOptions &options = {});

/// Returns `text` as XML character data: &, <, > and quotes are escaped, and characters that XML does not allow are
/// replaced.
std::string xmlText(std::string_view text);

} // namespace lanescope::viz
