// Modules in Lane form: what a thread does, in MLIR's own dialects, as JAX's lowering leaves it (`gpu`, `nvvm`, `llvm`,
// `memref`, `vector`, `arith`, `scf`). Those in Warpgroup form have operations on a warpgroup's arrays, and layouts.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// True for a module that launches threads' code, or is such code alone.
bool isLaneForm(mlir::ModuleOp module);

} // namespace lanescope::core
