// The context in which a GPU's modules are created.
#pragma once

#include "core/ir/KernelModule.h"

namespace mlir {
class MLIRContext;
}

namespace lanescope::core {

/// A context with every dialect that kernels of a GPU and their lowering use; multithreading is off.
IrContext makeGpuContext();
/// Creates the same context for code that uses MLIR directly.
std::shared_ptr<mlir::MLIRContext> makeMlirContext();

} // namespace lanescope::core
