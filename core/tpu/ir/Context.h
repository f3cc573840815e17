// The context that a TPU's modules are made in.
#pragma once

#include "core/ir/KernelModule.h"

namespace mlir {
class MLIRContext;
}

namespace lanescope::core {

/// With every dialect that SparseCore kernels use; multithreading is off.
IrContext makeTpuContext();
/// The same for whoever works with MLIR itself.
std::shared_ptr<mlir::MLIRContext> makeTpuMlirContext();

} // namespace lanescope::core
