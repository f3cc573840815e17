// The part of the kernel language that is written in the snippet language itself (prelude.py): pipelines and loops over
// grids. Its text is parsed when the first of its functions is called; sessions that call none pay nothing.
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

/// `BlockSpec`, `emit_pipeline`, `nd_loop`, …; `targets`: what prelude.py asks of the kernels of each target.
Builtins preludeBuiltins(Builtins targets);

} // namespace lanescope::repl
