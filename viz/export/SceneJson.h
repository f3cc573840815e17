// The subject of a scene as JSON. An element map or shared-memory image has the format of the golden layouts. A trace
// is Chrome trace JSON. A matrix is rows of bits. Two layouts have a class per element.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// Error: the scene has no subject.
Result<std::string> toJson(const Scene &scene);

} // namespace lanescope::viz
