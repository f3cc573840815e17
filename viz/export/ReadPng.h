// PNG images as arrays, through Cairo.
#pragma once

#include "core/data/Array.h"

namespace lanescope::viz {

/// Returns u8 [rows, columns, 3] with red, green and blue. If any pixel is not opaque, there is a fourth channel, the
/// opacity. `name` is for messages. Error "png": the bytes are no PNG image, or are cut off.
Result<core::Array> readPng(std::string_view bytes, const std::string &name);

} // namespace lanescope::viz
