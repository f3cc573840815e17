// A program's own modules: files beside the one that imports them.
//
//   from helpers import tile        helpers.py, in the folder of the file that says so
//
// Each is run once in an evaluator as long as its text stays the same, in a scope of its own. JAX's kernels
// (`jax.experimental.pallas.ops.gpu.*`) are JAX's own files: they are found under their names beside the program, too.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

/// The module at the dotted `path` for the file of `span`; nothing where there is no such file. Errors: those of its
/// text.
Result<std::optional<Value>> fileModule(Evaluator &evaluator, const std::string &path, const Span &span);

/// `jax.experimental.pallas.ops.gpu`: its parts are files.
constexpr std::string_view kJaxKernels = "jax.experimental.pallas.ops.gpu";
Value jaxKernels();

} // namespace lanescope::repl
