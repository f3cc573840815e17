// A Hopper GPU's special function unit, to the bit. It is the basis of `rcp.approx`, `rsqrt.approx`, `sqrt.approx`,
// `ex2.approx`, `lg2.approx`, `sin.approx`, `cos.approx` and `tanh.approx`. The upper bits of an argument select a
// segment. An integer polynomial of the lower bits gives the result, and excess bits are truncated. The square in the
// polynomial omits the lower partial products. S. Oberman and M. Siu describe the method in "A High-Performance
// Area-Efficient Multifunction Interpolator" (ARITH 2005). The coefficients are those of an H200, derived from all of
// its results (tests/gpu/special_functions.cu compares all 2^32 arguments). Subnormal arguments and results are zero.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator::special {

float reciprocal(float x);
float inverseRoot(float x);
float root(float x);
float power(float x);     // base 2
float logarithm(float x); // base 2
float sine(float turns);
float cosine(float turns);
float hyperbolicTangent(float x); // handles subnormal arguments, too

/// Takes the upper word of a double (sign, exponent and 20 bits), and returns that of the result. The lower word of the
/// result is zero. Subnormal arguments and results are zero.
uint32_t reciprocalUpper(uint32_t upper);
uint32_t inverseRootUpper(uint32_t upper);

} // namespace lanescope::core::emulator::special
