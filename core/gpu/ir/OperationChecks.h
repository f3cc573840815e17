// Rules shared by verifiers in several files. Each reports its violations at the operation.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace lanescope::core::mosaic_gpu {

/// Checks that a slice of `global` has an index and a length for each dimension; length -1 means a single index.
mlir::LogicalResult checkSlice(mlir::Operation *op, mlir::MemRefType global, mlir::OperandRange indices,
                               llvm::ArrayRef<int64_t> lengths);
/// Checks that the attribute lists cluster dimensions, each once.
mlir::LogicalResult checkCollective(mlir::Operation *op, mlir::ArrayAttr collective);
/// True if the tensor cores multiply the element types: equal ones, or any two 8-bit floats.
bool multiplyTogether(mlir::Type a, mlir::Type b);

} // namespace lanescope::core::mosaic_gpu
