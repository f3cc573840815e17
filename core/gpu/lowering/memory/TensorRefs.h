// Slices of references to tensor memory.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

/// Slices a reference to tensor memory: all rows, and columns that begin at a multiple of the layout's tile. Fails with
/// an error at `view` for other slices.
mlir::LogicalResult sliceTensor(KernelLowering &k, mlir::memref::SubViewOp view);

/// The address of the cell `lane` lanes and `column` columns after the start of `ref`, i32.
mlir::Value tensorAddress(ThreadBuilder &t, const TensorRef &ref, int64_t lane = 0, int64_t column = 0);

} // namespace lanescope::core
