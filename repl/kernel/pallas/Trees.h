// JAX's pytrees: nested tuples, lists, dicts and named tuples of other values. None holds no leaves.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <vector>

namespace lanescope::repl {

/// The leaves of a tree, in order; a dict's are in the order of its keys.
void treeLeaves(const Value &tree, std::vector<Value> &leaves);
/// The tree with its leaves replaced by those from `next` on.
Value treeOf(const Value &model, const std::vector<Value> &leaves, size_t &next);

/// `leaves` and `map`; `_tuples` and `_restored`, for loops that carry trees.
Builtins treeNatives();

} // namespace lanescope::repl
