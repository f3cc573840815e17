// Turns a module in Lane form (core/gpu/ir/LaneForm.h) into an llvm.func in the same module, with its launch
// description. LowerKernel.h does this for a kernel of warpgroups.
#pragma once

#include "core/gpu/lowering/thread/LoweredKernel.h"

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// On failure the module is incomplete and must be dropped.
mlir::LogicalResult lowerLanes(mlir::ModuleOp module, LoweredKernel &result);

} // namespace lanescope::core
