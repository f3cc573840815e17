// A Hopper GPU's special function unit, to the bit: what `rcp.approx`, `rsqrt.approx`, `sqrt.approx`, `ex2.approx`,
// `lg2.approx`, `sin.approx`, `cos.approx` and `tanh.approx` are made of. A value's upper bits choose a segment, and a
// polynomial of the other bits, in integers, whose square lacks its lower partial products, gives the result, of which
// what does not fit is cut: as S. Oberman and M. Siu, "A High-Performance Area-Efficient Multifunction Interpolator"
// (ARITH 2005), describe it. The numbers are those of an H200, found from all its results
// (tests/gpu/special_functions.cu compares all 2^32 values). Subnormal arguments and results are zero.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator::special {

float reciprocal(float x);
float inverseRoot(float x);
float root(float x);
float power(float x);     // of two
float logarithm(float x); // to the base 2
float sine(float turns);
float cosine(float turns);
float hyperbolicTangent(float x); // the subnormal as well

/// Of a double's upper word, which holds its sign, exponent and 20 bits: the result's; its lower word is zero.
/// Subnormal arguments and results are zero.
uint32_t reciprocalUpper(uint32_t upper);
uint32_t inverseRootUpper(uint32_t upper);

} // namespace lanescope::core::emulator::special
