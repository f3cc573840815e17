// `tcgen05_mma` in the words of the table of matrix instructions (layouts/fragments/MatrixInstruction.h): verifier,
// layout rules and lowering ask it here. What goes together TensorRules.h says.
//
//   auto product = tensorProduct(mma);     error at the operation: in this `tcgen05_mma` …
//   product->instruction->kind             "f16"
#pragma once

#include "core/gpu/ir/MosaicGpuTensor.h"

#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::core {

class LayoutRules;

struct TensorProduct {
  const layouts::MatrixInstruction *instruction = nullptr;
  layouts::MatrixType a{}, b{}, d{};
  int bits = 0;                // of an element of a and b
  int64_t m = 0, n = 0, k = 0; // rows of a in this block, columns of b in this block, rows of b
  bool collective = false, sparse = false, leftInTensor = false;
  int64_t sparseGroup = 4;                  // elements of K for which there are two of metadata
  std::optional<layouts::BlockScale> scale; // its block: of K, of this product

  int ctas() const { return collective ? 2 : 1; }
  /// Halves of the lanes' quarters that have columns of their own: rows of 64 in one block take half of the lanes.
  int laneGroups() const { return m == 64 && !collective ? 2 : 1; }
};

/// Fails with an error at `op` where types and shapes are none that `tcgen05.mma` takes. How its operands are stored is
/// another matter.
mlir::FailureOr<TensorProduct> tensorProduct(mosaic_gpu::Tcgen05MMAOp op);

/// What the operands in tensor memory must be laid out as.
void tensorProductRules(mosaic_gpu::Tcgen05MMAOp op, LayoutRules &rules);

} // namespace lanescope::core
