// PDF through Cairo: one page of the picture's size, text as text.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

Result<std::string> toPdf(const Scene &scene);

} // namespace lanescope::viz
