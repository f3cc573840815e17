// The builtins of the host stage that the language itself has, as tables (repl/layouts adds those about layouts).
//
//   Evaluator evaluator(languageBuiltins());
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

/// Python's harmless builtins: print, len, range, static_range, min, …
Builtins pythonBuiltins();
/// iter, next, and what gives iterators: zip, map, …
Builtins iteratorBuiltins();
/// Dtypes as names, zeros, ones, ….
Builtins arrayBuiltins();
/// The host's part of the functions that kernels have too (repl/lang/values/ArrayFunctions.h), and transpose.
Builtins elementFunctions();
Builtin roundFunction();
Builtins reductions();
Builtins shapeFunctions();
/// `help`.
Builtins helpBuiltins();
/// All of these but `help`.
Builtins languageBuiltins();

/// How a function is called, "scale(x, *, by=2)"; empty for what is no function.
std::string signatureText(const Value &callable);
/// What `help(value)` prints, ends with a newline. `name` is what the user asked for, when it is a name.
std::string helpText(const Evaluator &evaluator, const Value &value, std::string_view name = {});
/// What `help()` prints: the groups of names.
std::string helpOverview(const Evaluator &evaluator);

} // namespace lanescope::repl
