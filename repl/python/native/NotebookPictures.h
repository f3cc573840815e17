// The page that a notebook shows for a value.
#pragma once

#include "repl/lang/values/Value.h"
#include "repl/session/Shown.h"

#include <optional>
#include <string>

namespace lanescope::python {

/// A self-contained HTML page with the picture of a layout, map, trace or result, or with code; nothing for other
/// values.
std::optional<std::string> pageOf(const repl::Value &value);
std::optional<std::string> pageOf(const repl::Shown &shown);

} // namespace lanescope::python
