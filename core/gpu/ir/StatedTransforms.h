// Transforms that a dump states on views of shared memory, against what the view makes of its operand's.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Checks `in_transforms` and `out_transforms` of each `memref.transpose` and `memref.collapse_shape` that has both, as
/// JAX's lowering does (jax-ml/jax, jax/experimental/mosaic/gpu/dialect_lowering.py); reports all that it finds.
mlir::LogicalResult checkStatedTransforms(mlir::ModuleOp module);

} // namespace lanescope::core
