// Finds a number that divides an index; tile-aligned slices need it.
//
//   %row = arith.muli %block, %c64        ->  64 divides %row
#pragma once

#include "mlir/IR/Value.h"

namespace lanescope::core {

/// Returns a positive number that divides `value`: the largest that its definition proves, 0 for the constant 0, 1 if
/// nothing is known. It looks through integer arithmetic and loop counters.
int64_t knownDivisor(mlir::Value value);

} // namespace lanescope::core
