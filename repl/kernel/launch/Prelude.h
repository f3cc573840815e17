// The part of the kernel language that is written in the snippet language itself (prelude.py): pipelines and loops over
// grids. Its text is parsed when the first of its functions is called, so other sessions have no cost.
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

/// The builtins `BlockSpec`, `emit_pipeline`, `nd_loop`, …. `targets`: the helper functions of each target that
/// prelude.py needs.
Builtins preludeBuiltins(Builtins targets);

} // namespace lanescope::repl
