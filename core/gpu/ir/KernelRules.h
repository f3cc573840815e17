// Rules that a kernel must satisfy beyond those of its dialect, to be laid out and compiled: each reference is in the
// memory that its operation works on, tiles divide the shape, the tensor cores have the products.
//
// JAX's dialect checks less, and finds such mistakes later or never. A dump that violates a rule can therefore be read
// and shown, but is refused by the compiler.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Checks each operation of the module and reports all violations. The module must have been verified.
mlir::LogicalResult checkKernelRules(mlir::ModuleOp module);

/// Checks an operation on tensor memory, for checkKernelRules; success for any other operation.
mlir::LogicalResult checkTensorRules(mlir::Operation *op);
/// Checks that the operations on tensor memory are all of one block, or all of a pair (PTX ISA, "tcgen05: CTA group").
mlir::LogicalResult checkPairs(mlir::ModuleOp module);

} // namespace lanescope::core
