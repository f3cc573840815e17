// Looks up `wgmma` and `mma` in the table of matrix instructions (layouts/fragments/MatrixInstruction.h), for verifiers
// and lowering.
//
//   %1 = mosaic_gpu.wgmma … vector<64x40xi32> … memref<64x64xi8> …
//   matrixProduct(wgmma)   ->   error at the operation: `wgmma` of i8 has N = 8, 24 or …, not 40
#pragma once

#include "core/gpu/ir/MosaicGpu.h"

#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::core {

/// The instructions that implement an operation.
struct MatrixProduct {
  const layouts::MatrixInstruction *instruction; // one row of the table
  layouts::MatrixType a, b, d;
  int64_t depth; // K of one instruction
  std::optional<layouts::BlockScale> scale = {};
};

/// Fails at the operation if no instruction has its types and sizes. MLIR's integers have no sign, so
/// `lanescope.unsigned_a` and `lanescope.unsigned_b` mark unsigned ones; f32 is multiplied as tf32.
mlir::FailureOr<MatrixProduct> matrixProduct(mosaic_gpu::WGMMAOp op);
mlir::FailureOr<MatrixProduct> matrixProduct(mosaic_gpu::MMAOp op);

} // namespace lanescope::core
