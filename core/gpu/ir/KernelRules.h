// Rules that a kernel must satisfy, besides those of its dialect, before it can be laid out and compiled. Each
// reference must be in the memory that its operation works on, tiles must divide the shape, and the tensor cores must
// support the products.
//
// JAX's dialect checks less, and finds such mistakes later or never. So a dump that violates a rule can be read and
// shown, but the compiler refuses it.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Checks each operation of the module and reports all violations. The module must have been verified.
mlir::LogicalResult checkKernelRules(mlir::ModuleOp module);

/// Checks an operation on tensor memory, for checkKernelRules; success for any other operation.
mlir::LogicalResult checkTensorRules(mlir::Operation *op);
/// Checks that all operations on tensor memory belong to one block, or all to a pair of blocks (PTX ISA, "tcgen05: CTA
/// group").
mlir::LogicalResult checkPairs(mlir::ModuleOp module);

} // namespace lanescope::core
