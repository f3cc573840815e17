// Waits for `wgmma` in a dump's kernel.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lanescope::core {

/// JAX waits for products by a statement of its own, behind which it reads accumulators as they were given. Ours passes
/// them through the wait (`lanescope.wgmma_wait`), so that nothing reads them before; this rewrites those of `kernel`.
void passAccumulators(mlir::func::FuncOp kernel);

} // namespace lanescope::core
