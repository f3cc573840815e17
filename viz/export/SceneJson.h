// The subject of a scene as JSON: an element map or shared-memory image in the format of the golden layouts, Chrome
// trace JSON for a trace, a matrix as rows of bits, two layouts with a class per element.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// Error: the scene has no subject.
Result<std::string> toJson(const Scene &scene);

} // namespace lanescope::viz
