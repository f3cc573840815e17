// PTX that a module gives as text, checked before LLVM ends the process over it.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Whether each `llvm.inline_asm` has constraints that NVPTX knows, as many as operands and results, and names no
/// others
/// (`$7`). Errors are at the operation.
mlir::LogicalResult checkInlineAssembly(mlir::ModuleOp module);

} // namespace lanescope::core
