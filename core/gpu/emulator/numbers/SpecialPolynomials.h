// Evaluates the polynomials of the special function unit (SpecialFunctions.h). The functions for common arguments have
// no branches, so that loops over lanes vectorise. They set `odd` to true if an argument is not a common one.
#pragma once

#include "core/gpu/emulator/numbers/SpecialTables.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lanescope::core::emulator::special {

inline constexpr uint32_t kSign = 0x80000000, kFraction = 0x7FFFFF;
inline constexpr int kBias = 127, kFractionBits = 23;

/// Half the square of `rest`, which has `Bits` bits, in units of 2^(2 (Bits - 8)). It consists of the square of the
/// upper eight bits, and of their products with the lower bits. Each partial product of these counts only as far as it
/// reaches into these units.
template <int Bits> [[gnu::always_inline]] inline int64_t halfSquare(uint32_t rest) {
  constexpr int kLower = Bits - 8;
  uint32_t upper = rest >> kLower, lower = rest & ((1u << kLower) - 1), square = upper * upper >> 1;
  for (int k = 0; k < 8; ++k)
    square += (0u - (upper >> k & 1)) & (lower >> (kLower - k));
  return square;
}

template <int Bits> [[gnu::always_inline]] inline int64_t valueOf(const Polynomial &p, uint32_t rest) {
  return p.value + static_cast<int64_t>(p.slope) * rest + p.curvature * halfSquare<Bits>(rest);
}

/// The value at a fraction of 23 bits. Its upper bits select the segment.
template <int SegmentBits>
[[gnu::always_inline]] inline int64_t valueAt(const Polynomial *segments, uint32_t fraction) {
  constexpr int kRest = kFractionBits - SegmentBits;
  return valueOf<kRest>(segments[fraction >> kRest], fraction & ((1u << kRest) - 1));
}

/// The reciprocal, for magnitudes from 2^-126 to 2^126.
[[gnu::always_inline]] inline float usualReciprocal(float x, bool &odd) {
  auto bits = std::bit_cast<uint32_t>(x);
  uint32_t exponent = bits >> kFractionBits & 0xFF, fraction = bits & kFraction;
  odd |= exponent - 1 > 251;
  uint32_t isPower = fraction == 0;
  auto significand = static_cast<uint32_t>(valueAt<7>(kReciprocals, fraction) >> 15) & kFraction & (isPower - 1);
  return std::bit_cast<float>((bits & kSign) | (2 * kBias - 1 + isPower - exponent) << kFractionBits | significand);
}

/// The power of two, for numbers from -126 to 128.
[[gnu::always_inline]] inline float usualPower(float x, bool &odd) {
  odd |= !(x >= -126 && x < 128);
  auto bits = std::bit_cast<uint32_t>(x);
  int exponent = static_cast<int>(bits >> kFractionBits & 0xFF) - kBias;
  uint32_t significand = (bits & kFraction) | 1u << kFractionBits;
  uint32_t fixed = significand << std::clamp(exponent, 0, 7) >> std::clamp(-exponent, 0, 31);
  uint32_t negative = fixed & kFraction ? ~fixed : 0 - fixed;
  fixed = bits & kSign ? negative : fixed;
  auto whole = static_cast<int32_t>(fixed) >> kFractionBits;
  auto value = static_cast<uint32_t>(valueAt<6>(kPowers, fixed & kFraction) >> 15);
  return std::bit_cast<float>(static_cast<uint32_t>(whole + kBias) << kFractionBits | (value & kFraction));
}

/// The inverse root, for normal numbers above zero.
[[gnu::always_inline]] inline float usualInverseRoot(float x, bool &odd) {
  auto bits = std::bit_cast<uint32_t>(x);
  int exponent = static_cast<int>(bits >> kFractionBits) - kBias, half = exponent >> 1;
  odd |= bits - (1u << kFractionBits) >= 0x7F000000u;
  uint32_t fraction = bits & kFraction, isPower = fraction == 0 && !(exponent & 1);
  // The two tables are adjacent.
  int64_t value = valueAt<6>(kInverseRoots + (exponent & 1) * 64, fraction) >> 16;
  return std::bit_cast<float>(static_cast<uint32_t>(kBias - 1 - half + static_cast<int>(isPower)) << kFractionBits |
                              (static_cast<uint32_t>(value) & kFraction & (isPower - 1)));
}

} // namespace lanescope::core::emulator::special
