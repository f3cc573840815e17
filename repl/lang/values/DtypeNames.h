// NumPy's names of dtypes; ml_dtypes' where NumPy has none.
#pragma once

#include "layouts/Dtype.h"

#include <optional>
#include <string_view>

namespace lanescope::repl {

/// A dtype by any spelling: "float32", "half", "f32".
std::optional<layouts::Dtype> dtypeOfText(std::string_view text);
/// "float32", "bfloat16"; our own name if neither library has one.
std::string_view numpyName(layouts::Dtype dtype);

} // namespace lanescope::repl
