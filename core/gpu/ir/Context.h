// The context that a GPU's modules are made in.
#pragma once

#include "core/ir/KernelModule.h"

namespace mlir {
class MLIRContext;
}

namespace lanescope::core {

/// With every dialect that kernels of a GPU and their lowering use; multithreading is off.
IrContext makeGpuContext();
/// The same for whoever works with MLIR itself.
std::shared_ptr<mlir::MLIRContext> makeMlirContext();

} // namespace lanescope::core
