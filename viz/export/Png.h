// PNG through Cairo.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// `scale`: image pixels per scene pixel. 0 means 2, or less for pictures of more than 20 million pixels. Fails if the
/// picture is too large for Cairo (32767 pixels per side) even at the smallest readable scale.
Result<std::string> toPng(const Scene &scene, double scale = 0);

} // namespace lanescope::viz
