// Arrays that a warpgroup rebinds: `memref.alloca() : memref<vector<64x128xf32>>` is a place in registers, in the
// layout that inference gave it. One stack slot per register, which the optimiser turns back into registers, across
// loops too.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

mlir::LogicalResult makeArrayVariable(KernelLowering &k, mlir::Operation *alloca);
mlir::LogicalResult readArrayVariable(KernelLowering &k, mlir::Value variable, mlir::Value result);
mlir::LogicalResult writeArrayVariable(KernelLowering &k, mlir::Value variable, mlir::Value value);

} // namespace lanescope::core
