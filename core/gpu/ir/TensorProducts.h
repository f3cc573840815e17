// Looks up `tcgen05_mma` in the table of matrix instructions (layouts/fragments/MatrixInstruction.h), for verifier,
// layout rules and lowering. TensorRules.h has the rules on combinations of operands.
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
  int bits = 0;                // per element of a and b
  int64_t m = 0, n = 0, k = 0; // rows of a in this block, columns of b in this block, rows of b
  bool collective = false, sparse = false, leftInTensor = false;
  int64_t sparseGroup = 4;                  // number of elements of K that share two metadata entries
  std::optional<layouts::BlockScale> scale; // the block of a scale: the number of elements of K that share it

  int ctas() const { return collective ? 2 : 1; }
  /// Number of groups of lanes that hold different columns. A product of 64 rows in a single block uses half of the
  /// lanes of each quarter for the left half of the columns, and the other half for the right one.
  int laneGroups() const { return m == 64 && !collective ? 2 : 1; }
};

/// Fails with an error at `op` if `tcgen05.mma` does not take its types and shapes. The storage of its operands is
/// checked elsewhere.
mlir::FailureOr<TensorProduct> tensorProduct(mosaic_gpu::Tcgen05MMAOp op);

/// The layouts that the operands in tensor memory must have.
void tensorProductRules(mosaic_gpu::Tcgen05MMAOp op, LayoutRules &rules);

} // namespace lanescope::core
