// Threads' code in MLIR's dialects as LLVM and NVVM dialect code, by MLIR's own passes, in the order of JAX's pipeline
// (jaxlib/mosaic/gpu/custom_call.cc, GetPassPipeline).
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// All that is in `kernels`, which then takes its place; `gpu.func` becomes `llvm.func`. Errors: an operation that none
/// of the passes takes, at its place.
mlir::LogicalResult convertThreadCode(mlir::gpu::GPUModuleOp kernels);
/// The same for code that stands in the module itself.
mlir::LogicalResult convertThreadCode(mlir::ModuleOp module);

} // namespace lanescope::core
