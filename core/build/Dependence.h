// Whether one value of a kernel was computed from another: which blocks of a pipeline change with its grid.
//
//   IrValue probe = builder.constant(Dtype::I32, {}, int64_t{0});
//   dependsOn(builder.binary(BinaryKind::Add, row, probe), probe)   // true
//   dependsOn(row, probe)                                           // false
#pragma once

#include "core/build/KernelBuilder.h"

namespace lanescope::core {

/// Through operands alone, and what loops and branches compute inside; a value kept in memory is not followed.
bool dependsOn(const IrValue &value, const IrValue &source);

} // namespace lanescope::core
