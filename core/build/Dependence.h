// Finds out if one value of a kernel was computed from another. Pipelines use it to find the blocks that change with
// the grid.
//
//   IrValue probe = builder.constant(Dtype::I32, {}, int64_t{0});
//   dependsOn(builder.binary(BinaryKind::Add, row, probe), probe)   // true
//   dependsOn(row, probe)                                           // false
#pragma once

#include "core/build/KernelBuilder.h"

namespace lanescope::core {

/// Follows operands, and values computed inside loops and branches. Does not follow values through memory.
bool dependsOn(const IrValue &value, const IrValue &source);

} // namespace lanescope::core
