// PNG through Cairo.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// `scale`: image pixels per scene pixel; 0: 2, less for pictures that would have more than 20 million pixels.
/// Error: a picture too large for Cairo (32767 pixels a side) even at the smallest readable scale.
Result<std::string> toPng(const Scene &scene, double scale = 0);

} // namespace lanescope::viz
