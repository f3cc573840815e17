// One self-contained HTML file: the picture, its legend, and a script that tells a box's owners in words under the
// pointer and lights up everything linked with it. No external resources.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

std::string toHtml(const Scene &scene);

} // namespace lanescope::viz
