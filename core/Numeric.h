// Bit-exact conversions between binary32 and the narrow float formats, shared by host arrays, emulator and tests.
// All round to nearest, ties to even, unless named otherwise; NaN payloads follow PTX `cvt` (canonical NaN).
#pragma once

#include "layouts/Dtype.h"

#include <cstdint>

namespace lanescope::core {

using layouts::Dtype;

float f16ToF32(uint16_t bits);
uint16_t f32ToF16(float value);
float bf16ToF32(uint16_t bits);
uint16_t f32ToBf16(float value);
/// Any float dtype of at most 16 bits: decode to and encode from double (encode rounds once, saturating for f8/f4
/// finite types).
double decodeFloat(Dtype dtype, uint32_t bits);
uint32_t encodeFloat(Dtype dtype, double value);

} // namespace lanescope::core
