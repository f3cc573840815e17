// The code that `sorted`, `list.sort` and `min(key=…)` share.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

/// Sorts the items stably. `key` (may be null or None) maps items to the values that are compared.
Result<std::vector<Value>> sortedItems(Context &context, std::vector<Value> items, const Arg *key, bool reverse);
/// Calls `function` with one value.
Result<Value> apply(Context &context, const Arg &function, const Value &argument);

} // namespace lanescope::repl
