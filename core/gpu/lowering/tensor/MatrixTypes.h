// What PTX calls the element types of matrix operands, for `wgmma` and `mma.sync`.
#pragma once

#include "mlir/IR/Types.h"

#include <string>

namespace lanescope::core {

/// "f16", "bf16", "e4m3", "e5m2", "tf32" (f32 too: the tensor cores read it so), "s8", "u4", …
std::string matrixType(mlir::Type element, bool isUnsigned = false);

} // namespace lanescope::core
