// exp and tanh of f32 with the exact bits that XLA computes on a host, since JAX's results are compared with them.
//
// Both are polynomials with fused multiply-adds: exp is Cephes' expf (openxla/xla, xla/service/cpu,
// llvm_ir_runtime.cc), tanh a quotient of two (xla/service/llvm_ir/math_ops.cc, EmitFastTanh). Both are within a few
// units in the last place.
#pragma once

namespace lanescope::core::sparsecore {

float exponential(float x);
float hyperbolicTangent(float x);

} // namespace lanescope::core::sparsecore
