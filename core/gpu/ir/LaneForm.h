// Modules in Lane form: the code of one thread in MLIR's own dialects (`gpu`, `nvvm`, `llvm`, `memref`, `vector`,
// `arith`, `scf`), as JAX's lowering produces it. Modules in Warpgroup form have operations on a warpgroup's arrays,
// with layouts.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// True for a module that launches code of single threads, or that consists of such code.
bool isLaneForm(mlir::ModuleOp module);

} // namespace lanescope::core
