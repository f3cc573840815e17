// PNG images as arrays, through Cairo.
#pragma once

#include "core/data/Array.h"

namespace lanescope::viz {

/// u8 [rows, columns, 3], or 4 channels where any pixel is not opaque: red, green, blue, opacity. `name` is for
/// messages. Error: "png": it is none, or it is cut off.
Result<core::Array> readPng(std::string_view bytes, const std::string &name);

} // namespace lanescope::viz
