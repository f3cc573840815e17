// Elementary functions of binary32 as LLVM dialect code: no library calls, no tables.
//
//   Value y = expF32(t, x);     // x: f32 or a vector of it
//
// They use only fused multiply-adds, integer operations and, for sine and cosine, binary64 arithmetic, so the emulator
// and a GPU give the same bits. Errors are at most about 2 units in the last place (1.5e-7 relative). NaN, infinities
// and subnormals follow IEEE 754. The method is classical: reduce the argument, then evaluate a minimax polynomial
// (coefficients: S. Moshier, Cephes).
#pragma once

#include "core/gpu/lowering/thread/ThreadBuilder.h"

namespace lanescope::core {

mlir::Value expF32(ThreadBuilder &t, mlir::Value x);
mlir::Value exp2F32(ThreadBuilder &t, mlir::Value x);
mlir::Value logF32(ThreadBuilder &t, mlir::Value x);
mlir::Value log2F32(ThreadBuilder &t, mlir::Value x);
mlir::Value sinF32(ThreadBuilder &t, mlir::Value x);
mlir::Value cosF32(ThreadBuilder &t, mlir::Value x);
mlir::Value tanhF32(ThreadBuilder &t, mlir::Value x);
mlir::Value erfF32(ThreadBuilder &t, mlir::Value x);
/// The angle of (x, y), from -pi to pi; within 3 ulps.
mlir::Value atan2F32(ThreadBuilder &t, mlir::Value y, mlir::Value x);

} // namespace lanescope::core
