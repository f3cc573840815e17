// Arithmetic on f16 and bf16 bits, and rounding of doubles in every PTX mode. The functions are inline and have no
// branches, so that loops over lanes vectorise. NaN results are the canonical NaNs of PTX (0x7FFF, 0x7FFFFFFF).
//
// A sum or product of two f16 (bf16) values is computed in f32 and then rounded again. The double rounding is harmless
// because 24 >= 2*11 + 2 bits. A fused multiply-add is computed in f64 and rounded to odd, which keeps the information
// that the final rounding needs.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace lanescope::core::emulator {

inline constexpr uint32_t kNanF32 = 0x7FFFFFFFu;
inline constexpr uint16_t kNanF16 = 0x7FFF; // also for bf16

inline float canonical(float v) { return v == v ? v : std::bit_cast<float>(kNanF32); }
inline float flushed(float v) {
  auto bits = std::bit_cast<uint32_t>(v);
  return (bits & 0x7F800000u) == 0 ? std::bit_cast<float>(bits & 0x80000000u) : v;
}

/// Flushes a result. It becomes zero if the exact value, rounded to the precision of normal numbers, is below the
/// smallest normal number. It does so even if the lower precision of subnormals would round it up to that number. This
/// is the behaviour of an H200's `mul.ftz` and `fma.ftz`.
inline float flushedFrom(double exact, float rounded) {
  constexpr float kLeast = 0x1p-126f;
  constexpr double kRoundedUp = 0x1.ffffffp-127;
  float magnitude = rounded < 0 ? -rounded : rounded;
  bool isTiny = magnitude == kLeast && (exact < 0 ? -exact : exact) < kRoundedUp;
  return flushed(isTiny ? rounded * 0.5f : rounded);
}

/// Two to the power of `exponent`. The exponent must be that of a normal number: -126 to 127.
inline float powerOfTwo(int exponent) { return std::bit_cast<float>((127 + exponent) << 23); }

inline float widenF16(uint16_t half) {
  uint32_t w = static_cast<uint32_t>(half) << 16;
  uint32_t sign = w & 0x80000000u, two = w + w;
  float normal = std::bit_cast<float>((two >> 4) + (0xE0u << 23)) * 0x1.0p-112f;
  float small = std::bit_cast<float>((two >> 17) | (126u << 23)) - 0.5f;
  return std::bit_cast<float>(sign |
                              (two < (1u << 27) ? std::bit_cast<uint32_t>(small) : std::bit_cast<uint32_t>(normal)));
}

inline uint16_t narrowF16(float v) {
  auto w = std::bit_cast<uint32_t>(v);
  float base = (std::bit_cast<float>(w & 0x7FFFFFFFu) * 0x1.0p+112f) * 0x1.0p-110f;
  uint32_t shifted = w + w;
  uint32_t bias = shifted & 0xFF000000u;
  bias = bias < 0x71000000u ? 0x71000000u : bias;
  base = std::bit_cast<float>((bias >> 1) + 0x07800000u) + base;
  auto bits = std::bit_cast<uint32_t>(base);
  uint32_t magnitude = ((bits >> 13) & 0x7C00u) + (bits & 0x0FFFu);
  uint32_t out = shifted > 0xFF000000u ? kNanF16 : ((w >> 16) & 0x8000u) | magnitude;
  return static_cast<uint16_t>(out);
}

inline float widenBf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t narrowBf16(float v) {
  auto w = std::bit_cast<uint32_t>(v);
  uint32_t rounded = (w + 0x7FFFu + ((w >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>((w & 0x7FFFFFFFu) > 0x7F800000u ? kNanF16 : rounded);
}

struct F16Format {
  static float widen(uint16_t bits) { return widenF16(bits); }
  static uint16_t narrow(float v) { return narrowF16(v); }
  static constexpr uint16_t kInfinity = 0x7C00, kLargest = 0x7BFF;
  static constexpr int kMantissa = 10;
};
struct Bf16Format {
  static float widen(uint16_t bits) { return widenBf16(bits); }
  static uint16_t narrow(float v) { return narrowBf16(v); }
  static constexpr uint16_t kInfinity = 0x7F80, kLargest = 0x7F7F;
  static constexpr int kMantissa = 7;
};

/// a + b in binary64, rounded to odd: the last bit of an inexact result is set.
inline double addToOdd(double a, double b) {
  double sum = a + b;
  double back = sum - a;
  double lost = (a - (sum - back)) + (b - back);
  auto bits = std::bit_cast<uint64_t>(sum);
  bool inexact = lost != 0 && lost == lost && (bits & 0x7FF0000000000000ull) != 0x7FF0000000000000ull;
  // If rounding went away from zero, step back to the truncated value.
  bool away = inexact && ((lost < 0) != (sum < 0));
  bits -= away ? 1 : 0;
  bits |= inexact ? 1 : 0;
  return std::bit_cast<double>(bits);
}

/// binary64 to binary32, rounded to odd.
inline float toFloatOdd(double v) {
  auto rounded = static_cast<float>(v);
  auto back = static_cast<double>(rounded);
  auto bits = std::bit_cast<uint32_t>(rounded);
  bool inexact = back != v && v == v;
  bool away = inexact && std::fabs(back) > std::fabs(v);
  bits -= away ? 1 : 0;
  bits |= inexact ? 1 : 0;
  return std::bit_cast<float>(bits);
}

enum class Rounding : uint8_t { Nearest, Zero, Down, Up, NearestAway };

/// Rounds the magnitude of a binary32-like value by dropping its `drop` lowest bits. The value must be exact, or have
/// been rounded to odd with more bits.
inline uint32_t roundBits(uint32_t magnitude, bool negative, int drop, Rounding mode) {
  if (drop == 0)
    return magnitude;
  uint32_t kept = magnitude >> drop, rest = magnitude & ((1u << drop) - 1), half = 1u << (drop - 1);
  bool up = false;
  switch (mode) {
  case Rounding::Nearest: up = rest > half || (rest == half && (kept & 1)); break;
  case Rounding::NearestAway: up = rest >= half; break;
  case Rounding::Zero: break;
  case Rounding::Down: up = rest != 0 && negative; break;
  case Rounding::Up: up = rest != 0 && !negative; break;
  }
  return kept + (up ? 1 : 0);
}

/// binary64 to binary32 in any mode.
inline float toFloat(double v, Rounding mode) {
  if (v != v)
    return std::bit_cast<float>(kNanF32);
  auto nearest = static_cast<float>(v);
  if (mode == Rounding::Nearest || mode == Rounding::NearestAway || static_cast<double>(nearest) == v)
    return nearest;
  bool larger = static_cast<double>(nearest) > v;
  auto bits = std::bit_cast<uint32_t>(nearest);
  bool negative = v < 0;
  bool wantUp = mode == Rounding::Up || (mode == Rounding::Zero && negative);
  if (larger == wantUp)
    return nearest;
  // Goes one step in the other direction. From zero, this is the smallest number with that sign.
  if ((bits & 0x7FFFFFFFu) == 0)
    return std::bit_cast<float>(wantUp ? 1u : 0x80000001u);
  bool grow = wantUp != negative;
  return std::bit_cast<float>(grow ? bits + 1 : bits - 1);
}

/// Converts binary32 to f16 or bf16 in any mode. `v` must be exact, or have been rounded to odd.
inline uint16_t toF16(float v, Rounding mode) {
  if (mode == Rounding::Nearest)
    return narrowF16(v);
  auto w = std::bit_cast<uint32_t>(v);
  uint32_t magnitude = w & 0x7FFFFFFFu;
  bool negative = w >> 31;
  uint32_t sign = negative ? 0x8000u : 0;
  if (magnitude > 0x7F800000u)
    return kNanF16;
  if (magnitude == 0x7F800000u)
    return static_cast<uint16_t>(sign | 0x7C00u);
  int exponent = static_cast<int>(magnitude >> 23) - 127;
  uint32_t out;
  if (exponent >= -14) {
    out = roundBits(magnitude - (112u << 23), negative, 13, mode);
  } else {
    // A subnormal result is the mantissa with its hidden bit, shifted so that its unit is 2^-24.
    uint32_t mantissa = magnitude >> 23 ? (magnitude & 0x7FFFFFu) | 0x800000u : 0;
    int drop = 13 + (-14 - exponent);
    if (drop > 30 || mantissa == 0)
      out = magnitude != 0 && ((mode == Rounding::Up && !negative) || (mode == Rounding::Down && negative)) ? 1 : 0;
    else
      out = roundBits(mantissa, negative, drop, mode);
  }
  if (exponent > 15 || out >= 0x7C00u) {
    bool toInfinity =
        mode == Rounding::NearestAway || (mode == Rounding::Up && !negative) || (mode == Rounding::Down && negative);
    out = toInfinity ? 0x7C00u : 0x7BFFu;
  }
  return static_cast<uint16_t>(sign | out);
}

inline uint16_t toBf16(float v, Rounding mode) {
  auto w = std::bit_cast<uint32_t>(v);
  if ((w & 0x7FFFFFFFu) > 0x7F800000u)
    return kNanF16;
  return static_cast<uint16_t>((w >> 16 & 0x8000u) | (roundBits(w & 0x7FFFFFFFu, w >> 31, 16, mode) & 0x7FFFu));
}

} // namespace lanescope::core::emulator
