// SVG 1.1 with its text as text (searchable, selectable). Grids of more cells than get a tooltip are written as one
// path per colour, neighbours joined.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

struct SvgOptions {
  int64_t maxTitles = 4096; // boxes; with more, they carry no <title> (the browser's tooltip)
  /// The body's boxes, in their order, are the elements of class `b` in a group that can take the keyboard: what a
  /// script needs.
  bool interactive = false;
  int number = 0; // of the picture in its page: makes ids unique
};

/// A whole <svg> element; standalone SVG files begin with an XML declaration, interactive ones are for HTML and do not.
std::string toSvg(const Scene &scene, const SvgOptions &options = {});

/// `text` as XML character data: &, <, > and quotes escaped, what XML does not allow replaced.
std::string xmlText(std::string_view text);

} // namespace lanescope::viz
