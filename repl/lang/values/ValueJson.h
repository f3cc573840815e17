// Values as JSON.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// A value as JSON text (`eval --json`). Scalars, sequences, dicts and arrays have their JSON forms. Objects with a
/// json() have its form, such as element maps (LayoutObjects.h), and other values their repr. Error: JSON cannot hold
/// the value, which is nested too deep, or has keys that are not strings.
Result<std::string> toJson(const Value &value);

} // namespace lanescope::repl
