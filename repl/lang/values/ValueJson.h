// Values as JSON.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// A value as JSON text (`eval --json`). Scalars, sequences, dicts and arrays have their JSON forms, element maps the
/// form in cli.md, and other values their repr. Error: a value that JSON cannot hold (nested too deep, keys that are
/// not strings).
Result<std::string> toJson(const Value &value);

} // namespace lanescope::repl
