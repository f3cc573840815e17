// Python's == for host values, as snippets use it.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// Like equal(), but values that are too large are an error. Error "too-large": the values nest deeper than 200, or
/// have more than 50 million parts.
Result<bool> compared(const Value &a, const Value &b);

} // namespace lanescope::repl
