// The context for a TPU's modules.
#pragma once

#include "core/ir/KernelModule.h"

namespace mlir {
class MLIRContext;
}

namespace lanescope::core {

/// Loads every dialect that SparseCore kernels use; multithreading is off.
IrContext makeTpuContext();
/// Creates the same context for code that uses MLIR directly.
std::shared_ptr<mlir::MLIRContext> makeTpuMlirContext();

} // namespace lanescope::core
