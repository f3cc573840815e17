// Bit-exact conversions between binary32 and the narrow float formats, shared by host arrays, emulator and tests. All
// round to nearest, ties to even, unless their name says otherwise. Every NaN becomes the canonical one.
#pragma once

#include "layouts/Dtype.h"

#include <cstdint>

namespace lanescope::core {

using layouts::Dtype;

float f16ToF32(uint16_t bits);
uint16_t f32ToF16(float value);
float bf16ToF32(uint16_t bits);
uint16_t f32ToBf16(float value);
/// Converts between any float dtype of at most 32 bits and double. Encoding rounds once. The f8 and f4 types saturate
/// (infinities too). f8e8m0fnu has neither sign nor zero: negative values become NaN, and zero becomes its smallest
/// power of two.
double decodeFloat(Dtype dtype, uint32_t bits);
uint32_t encodeFloat(Dtype dtype, double value);

} // namespace lanescope::core
