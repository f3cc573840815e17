// Writes PDF with Cairo. The file has one page of the picture's size. Text stays text.
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

Result<std::string> toPdf(const Scene &scene);

} // namespace lanescope::viz
