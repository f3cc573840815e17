// The code that `sorted`, `list.sort` and `min(key=…)` share.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

/// A stable sort; `key` (may be null or None) maps items to the compared values.
Result<std::vector<Value>> sortedItems(Context &context, std::vector<Value> items, const Arg *key, bool reverse);
/// Calls `function` with one value.
Result<Value> apply(Context &context, const Arg &function, const Value &argument);

} // namespace lanescope::repl
