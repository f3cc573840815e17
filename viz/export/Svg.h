// SVG 1.1 with its text as text (searchable, selectable), a <title> per box for the browser's tooltip.
#pragma once

#include "viz/scene/Page.h"

#include <string>

namespace lanescope::viz {

std::string toSvg(const Scene &scene);

/// The body alone as an <svg> element, its boxes carrying data-i (index) and data-s (link set): HTML embeds it.
std::string bodySvg(const Scene &scene, Point margin);

} // namespace lanescope::viz
