// tf32: binary32 whose 13 lowest bits are zero.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

/// Rounds the bits of a binary32 to the nearest tf32, ties to even. `cvt.rn.tf32.f32` does this, and a TMA load through
/// a TFLOAT32 descriptor. Subnormals do not change, values that are too large become infinite, and every NaN becomes
/// 0x7FFFE000, as on an H200 (tests/gpu/tf32_loads.cu).
constexpr uint32_t nearestTf32(uint32_t bits) {
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return 0x7FFFE000u;
  return (bits + 0xFFFu + (bits >> 13 & 1)) & 0xFFFFE000u; // an infinity has no bits to round
}

} // namespace lanescope::core::emulator
