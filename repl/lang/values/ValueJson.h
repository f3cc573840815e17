// Values as JSON.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// A value as JSON text (`eval --json`): scalars, sequences, dicts and arrays as themselves, element maps as cli.md
/// says, other values as their repr. Error for a value that JSON cannot hold (nested too deep, not-a-string keys).
Result<std::string> toJson(const Value &value);

} // namespace lanescope::repl
