// Python's == for host values, as snippets ask it.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// As equal(). Error "too-large": they nest deeper than 200, or have more than 50 million parts.
Result<bool> compared(const Value &a, const Value &b);

} // namespace lanescope::repl
