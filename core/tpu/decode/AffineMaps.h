// Turns an affine map into a function of a program. The function places a window for which the module has no function.
#pragma once

#include "core/tpu/program/TpuProgram.h"

#include "mlir/IR/AffineMap.h"

namespace lanescope::core::sparsecore {

/// A function with an argument for each dimension that returns the map's results. `indexType`: the program's type of
/// `index`.
Function functionOf(mlir::AffineMap map, std::string name, uint32_t indexType, uint32_t place);

} // namespace lanescope::core::sparsecore
