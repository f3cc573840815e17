// Finds numbers that divide a value computed at run time.
//
//   %b = arith.muli %a, %c64;  %o = mosaic_gpu.assume_multiple(%b) {multiple = 16}
//   commonDivisor(32, %o)  ->  32
//
// Source: JAX, jax/experimental/mosaic/gpu/{layout_inference,utils}.py, `dynamic_gcd` and `is_known_divisible`.
#pragma once

#include "mlir/IR/Value.h"

namespace lanescope::core {

/// The greatest common divisor of two sizes or offsets. If one is dynamic, it is assumed to be a large power of two.
int64_t commonDivisor(int64_t a, int64_t b);

/// The largest divisor of `a` that is known to divide `b`; 1 if `b` is an array. Errors: `a` is not positive; `b` is
/// not an integer.
mlir::FailureOr<int64_t> commonDivisor(int64_t a, mlir::Value b);

bool isKnownDivisible(mlir::Value value, int64_t divisor);

} // namespace lanescope::core
