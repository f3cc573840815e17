// Waits for `wgmma` in a dump's kernel.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lanescope::core {

/// JAX waits for products with a separate statement, after which it reads the accumulators' original values. Our
/// kernels pass accumulators through the wait (`lanescope.wgmma_wait`), so that nothing reads them earlier. This
/// rewrites the waits of `kernel` accordingly.
void passAccumulators(mlir::func::FuncOp kernel);

} // namespace lanescope::core
