// Checks a module's inline PTX before LLVM reads it, because LLVM ends the process at an error in it.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Checks that each `llvm.inline_asm` has only constraints that NVPTX knows, one per operand and result, and refers to
/// no other operands (`$7`). Errors are at the operation.
mlir::LogicalResult checkInlineAssembly(mlir::ModuleOp module);

} // namespace lanescope::core
