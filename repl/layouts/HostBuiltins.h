// All builtins of the host stage: those of the language, those about layouts, and `help`, which covers both.
//
//   Evaluator evaluator(hostBuiltins());
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

Builtins hostBuiltins();

} // namespace lanescope::repl
