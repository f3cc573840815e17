// Parses the small fields beside a picture: shapes, element types, swizzles.
#pragma once

#include "layouts/Dtype.h"
#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <string_view>

namespace lanescope::viz {

/// Parses `64x64`, `(64, 64)`, `64, 64` or `128`: at least one size, each at least 1. Errors point into a source named
/// `field`.
Result<layouts::Shape> parseShapeField(std::string_view field, std::string_view text);
/// Parses as parseShapeField() does, but `none` or an empty text is an empty list.
Result<layouts::Shape> parseTilingField(std::string_view field, std::string_view text);
/// The text of a shape: "64x64".
std::string shapeFieldText(const layouts::Shape &shape);
Result<layouts::Dtype> parseDtypeField(std::string_view text);
/// Parses `none`, 32, 64 or 128. Returns bytes; 0 for none.
Result<int> parseSwizzleField(std::string_view text);

} // namespace lanescope::viz
