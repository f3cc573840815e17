// Turns one warpgroup-level kernel (laid out by core/gpu/inference) into one thread's code: an llvm.func in the same
// module.
//
//   LoweredKernel result;
//   if (failed(lowerKernel(module, result))) …       // the module's diagnostic handler has the errors
//   result.launch                                    // grid, block, parameter block with its TMA descriptors
//
// The walk is in program order. Each family of operations has its own file and its entries in the table of
// Handlers.cpp.
#pragma once

#include "core/gpu/lowering/thread/LoweredKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace lanescope::core {

/// Replaces the module's only func.func by an llvm.func. On failure the module is incomplete and must be dropped.
mlir::LogicalResult lowerKernel(mlir::ModuleOp module, LoweredKernel &result);

/// Inserts the dialects of the operations that lowerKernel creates.
void insertLoweringDialects(mlir::DialectRegistry &registry);

} // namespace lanescope::core
