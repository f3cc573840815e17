// Applies a scalar computation to every element that a thread holds.
//
//   return elementwise(k, op, [&](llvm::ArrayRef<mlir::Value> in, mlir::Type out) { return k.t.create<LLVM::FAddOp>(…);
//   });
//
// The operands may be scalars, splats or arrays. A splat takes one computation. An array takes one for each register,
// on a vector of the layout's length.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// The computation: takes one register per operand and the type of the result's register.
using RegisterFunction = llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>, mlir::Type)>;

mlir::LogicalResult elementwise(KernelLowering &k, mlir::Operation *op, RegisterFunction compute);

/// Creates the LLVM dialect operation `name` with the given attributes.
mlir::Value createNamed(ThreadBuilder &t, llvm::StringRef name, mlir::Type type, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

/// Returns the value of the lane whose number is this lane's number XOR `lanes`. The register may have 8, 16 or a
/// multiple of 32 bits.
mlir::Value shuffled(ThreadBuilder &t, mlir::Value value, int lanes);

} // namespace lanescope::core
