// Arrays that a warpgroup rebinds: `memref.alloca() : memref<vector<64x128xf32>>` is a variable in registers, with the
// layout that inference chose. Each register has a stack slot, which LLVM's optimiser turns back into a register, also
// across loops.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

mlir::LogicalResult makeArrayVariable(KernelLowering &k, mlir::Operation *alloca);
mlir::LogicalResult readArrayVariable(KernelLowering &k, mlir::Value variable, mlir::Value result);
mlir::LogicalResult writeArrayVariable(KernelLowering &k, mlir::Value variable, mlir::Value value);

} // namespace lanescope::core
