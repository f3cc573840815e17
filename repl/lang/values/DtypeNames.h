// The names that NumPy gives dtypes, or ml_dtypes if NumPy has no such dtype.
#pragma once

#include "layouts/Dtype.h"

#include <optional>
#include <string_view>

namespace lanescope::repl {

/// The dtype of any spelling: "float32", "half", "f32".
std::optional<layouts::Dtype> dtypeOfText(std::string_view text);
/// The name in NumPy or ml_dtypes: "float32", "bfloat16"; our own name if neither library has the dtype.
std::string_view numpyName(layouts::Dtype dtype);

} // namespace lanescope::repl
