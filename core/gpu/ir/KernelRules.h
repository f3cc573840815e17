// What a kernel keeps beside the rules of its dialect, so that it can be laid out and compiled: each reference in the
// memory that its operation works on, tiles that divide, products that the tensor cores have.
//
// JAX's dialect takes less care of them, and finds such mistakes later or never; so a dump that breaks one is read and
// shown, and refused when it is compiled.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Checks each operation of the module, and reports all that it finds. The module has been verified.
mlir::LogicalResult checkKernelRules(mlir::ModuleOp module);

/// The rule of an operation on tensor memory, for checkKernelRules; success for any other operation.
mlir::LogicalResult checkTensorRules(mlir::Operation *op);
/// A kernel's operations on tensor memory are all of one block, or all of a pair (PTX ISA, "tcgen05: CTA group").
mlir::LogicalResult checkPairs(mlir::ModuleOp module);

} // namespace lanescope::core
