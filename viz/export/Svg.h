// SVG 1.1 with its text as text (searchable, selectable). Grids with too many cells for tooltips are written as one
// path per colour, with neighbours joined.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

struct SvgOptions {
  int64_t maxTitles = 4096; // boxes; if there are more, they have no <title> (the browser's tooltip)
  /// The body's boxes, in order, become elements of class `b` in a group that can take the keyboard focus, for a
  /// script.
  bool interactive = false;
  int number = 0; // the picture's number in its page, which makes ids unique
};

/// A whole <svg> element. Standalone SVG files begin with an XML declaration; interactive ones, which are for HTML, do
/// not.
std::string toSvg(const Scene &scene, const SvgOptions &options = {});

/// `text` as XML character data: &, <, > and quotes are escaped, and characters that XML does not allow are replaced.
std::string xmlText(std::string_view text);

} // namespace lanescope::viz
