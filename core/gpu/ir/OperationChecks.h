// Rules that the verifiers of several files share. Each reports what it finds at the operation.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace lanescope::core::mosaic_gpu {

/// A slice of `global` has an index and a length for each dimension; -1 stands for a single index.
mlir::LogicalResult checkSlice(mlir::Operation *op, mlir::MemRefType global, mlir::OperandRange indices,
                               llvm::ArrayRef<int64_t> lengths);
/// Cluster dimensions, each once.
mlir::LogicalResult checkCollective(mlir::Operation *op, mlir::ArrayAttr collective);
/// Element types that the tensor cores multiply: equal ones, or any two floats of 8 bits.
bool multiplyTogether(mlir::Type a, mlir::Type b);

} // namespace lanescope::core::mosaic_gpu
