// The language's own builtins for the host stage, as tables. Those about layouts are in repl/layouts.
//
//   Evaluator evaluator(languageBuiltins());
#pragma once

#include "repl/lang/values/Builtin.h"

#include <functional>

namespace lanescope::repl {

/// Python's harmless builtins: print, len, range, static_range, min, …
Builtins pythonBuiltins();
/// iter, next, and the functions that return iterators: zip, map, …
Builtins iteratorBuiltins();
/// Dtype names, zeros, ones, ….
Builtins arrayBuiltins();
/// The host's part of the functions that kernels also have (repl/lang/values/ArrayFunctions.h), and transpose.
Builtins elementFunctions();
Builtin roundFunction();
Builtins reductions();
Builtins shapeFunctions();
/// `help`. `width`: columns of the terminal; null: 100.
Builtins helpBuiltins(std::function<int()> width = nullptr);
/// All builtins above except `help`.
Builtins languageBuiltins();

/// A text that shows how a function is called: "scale(x, *, by=2)"; empty for a value that is not a function.
std::string signatureText(const Value &callable);
/// The text of `help(value)`, which ends with a newline. `name`: the argument as the user wrote it, if it is a name.
std::string helpText(const Evaluator &evaluator, const Value &value, std::string_view name = {});
/// The text of `help()`: the groups of names, in lines of at most `width` columns.
std::string helpOverview(const Evaluator &evaluator, int width = 100);

} // namespace lanescope::repl
