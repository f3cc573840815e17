// JAX's pytrees: nested tuples, lists, dicts and named tuples of other values. None has no leaves.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <vector>

namespace lanescope::repl {

/// The leaves of a tree, in order. Those of a dict are in the order of its keys.
void treeLeaves(const Value &tree, std::vector<Value> &leaves);
/// A tree with the structure of `model` and with the leaves from `next` on.
Value treeOf(const Value &model, const std::vector<Value> &leaves, size_t &next);

/// The builtins `leaves` and `map`; `_tuples` and `_restored`, for loops that carry trees.
Builtins treeNatives();

} // namespace lanescope::repl
