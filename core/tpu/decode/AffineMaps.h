// An affine map as a function of a program: what places a window where no function of the module does.
#pragma once

#include "core/tpu/program/Program.h"

#include "mlir/IR/AffineMap.h"

namespace lanescope::core::sparsecore {

/// A function with an argument for each dimension that returns the results; `indexType`: the program's type of `index`.
Function functionOf(mlir::AffineMap map, std::string name, uint32_t indexType, uint32_t place);

} // namespace lanescope::core::sparsecore
