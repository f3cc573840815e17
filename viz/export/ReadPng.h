// PNG images as arrays, through Cairo.
#pragma once

#include "core/data/Array.h"

namespace lanescope::viz {

/// Returns u8 [rows, columns, 3], or 4 channels if any pixel is not opaque: red, green, blue, opacity. `name` is for
/// messages. Error: "png": not a PNG image, or cut off.
Result<core::Array> readPng(std::string_view bytes, const std::string &name);

} // namespace lanescope::viz
