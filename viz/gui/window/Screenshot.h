// Saves the window's pixels as a PNG file, with Cairo.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <vector>

namespace lanescope::viz {

/// `rgba` contains rows from the bottom up, 4 bytes per pixel, as OpenGL reads them. Error: the file cannot be written.
Result<void> saveScreenshot(const std::string &path, int width, int height, const std::vector<uint8_t> &rgba);

} // namespace lanescope::viz
