// Expands elementary functions in threads' code.
#pragma once

#include "mlir/IR/Operation.h"

namespace lanescope::core {

/// Replaces each `math` operation on a scalar or a flat vector that no instruction implements by LLVM dialect code
/// (MathFunctions.h), so that no library is needed.
mlir::LogicalResult expandMath(mlir::Operation *root);

} // namespace lanescope::core
