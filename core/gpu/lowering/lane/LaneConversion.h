// Converts code of single threads from MLIR's dialects to the LLVM and NVVM dialects with MLIR's own passes, in the
// order of JAX's pipeline (jaxlib/mosaic/gpu/custom_call.cc, GetPassPipeline).
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Replaces `kernels` by its converted contents; `gpu.func` becomes `llvm.func`. Errors: an operation that no pass
/// converts, at its place.
mlir::LogicalResult convertThreadCode(mlir::gpu::GPUModuleOp kernels);
/// Converts code that is directly in the module.
mlir::LogicalResult convertThreadCode(mlir::ModuleOp module);

} // namespace lanescope::core
