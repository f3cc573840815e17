// The time that the tensor cores of one multiprocessor take for a warp's `mma` or `wmma`.
//
//   mmaCycles(*findGpuTarget("sm_86"), {.products = 16 * 8 * 16, .bits = 16, .floatSums = true})   ->  8
#pragma once

#include "core/gpu/kernel/GpuTarget.h"

namespace lanescope::core::emulator {

struct MmaWork {
  uint64_t products = 0;  // M * N * K; of a sparse A, those of its stored elements
  uint32_t bits = 16;     // the width of an element in a register
  bool floatSums = false; // the sums are f32
};

inline uint64_t mmaCycles(const GpuTarget &target, const MmaWork &work) {
  constexpr uint32_t kDoubleBits = 64, kHalfBits = 16, kPackedBits = 4;
  const GpuSpeeds &speeds = target.speeds;
  // Packed 4-bit floats are not slowed down by their sums (RTX 5090: eight times the f16 rate with sums of f32).
  const bool slowed = work.floatSums && work.bits > kPackedBits;
  const auto rate = static_cast<uint64_t>(work.bits == kDoubleBits ? speeds.doubleProducts
                                          : slowed                 ? speeds.floatProducts
                                                                   : speeds.products);
  const uint64_t units = work.bits == kDoubleBits ? work.products : work.products * work.bits / kHalfBits;
  return (units + rate - 1) / rate;
}

} // namespace lanescope::core::emulator
