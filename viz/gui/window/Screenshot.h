// The window's pixels to a PNG file, through Cairo.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <vector>

namespace lanescope::viz {

/// `rgba`: rows from the bottom up, 4 bytes a pixel, as OpenGL reads them. Error: the file can't be written.
Result<void> saveScreenshot(const std::string &path, int width, int height, const std::vector<uint8_t> &rgba);

} // namespace lanescope::viz
