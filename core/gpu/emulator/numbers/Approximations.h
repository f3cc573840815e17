// The code that ptxas 13.0 emits around the special function unit for `.approx` and `.full` on sm_90. It scales
// subnormal values that are not flushed. Halves are truncated and not rounded. Results equal those of an H200 to the
// bit (tests/gpu/special_functions.cu).
#pragma once

#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/numbers/SpecialFunctions.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace lanescope::core::emulator::approximate {

inline constexpr float kLeast = 0x1p-126f,
                       kLarge = 0x1p126f; // the smallest normal number, and the largest number with a normal reciprocal

inline bool isTiny(float x) { return std::fabs(x) < kLeast; }

template <bool Ftz> float reciprocal(float x) {
  if (Ftz)
    return special::reciprocal(x);
  float scale = std::fabs(x) > kLarge ? 0.25f : isTiny(x) ? 0x1p24f : 1;
  return scale * special::reciprocal(x * scale);
}

template <bool Ftz> float inverseRoot(float x) {
  return !Ftz && isTiny(x) ? special::inverseRoot(x * 0x1p24f) * 0x1p12f : special::inverseRoot(x);
}

template <bool Ftz> float root(float x) {
  return !Ftz && isTiny(x) ? special::root(x * 0x1p24f) * 0x1p-12f : special::root(x);
}

template <bool Ftz> float power(float x) {
  if (Ftz || !(x < -126))
    return special::power(x);
  float half = special::power(x * 0.5f);
  return half * half;
}

template <bool Ftz> float logarithm(float x) {
  return !Ftz && isTiny(x) ? special::logarithm(x * 0x1p24f) - 24 : special::logarithm(x);
}

/// Converts radians to turns: multiplies by 1 / 2π, rounded towards zero.
inline float turnsOf(float x) {
  double product = static_cast<double>(x) * static_cast<double>(0.15915493667125701904f);
  auto nearest = static_cast<float>(product);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(product) ? std::nextafter(nearest, 0.0f) : nearest;
}

inline float sine(float x) { return special::sine(turnsOf(x)); }
inline float cosine(float x) { return special::cosine(turnsOf(x)); }

/// The factors whose product is the quotient.
struct QuotientFactors {
  float inverse, dividend;
};

/// `Full`: works for all divisors; otherwise only for divisors up to 2^126.
template <bool Ftz, bool Full> QuotientFactors factorsOf(float x, float y) {
  auto made = [](float v) { return Ftz && isTiny(v) ? std::copysign(0.0f, v) : v; };
  x = made(x);
  y = made(y);
  float scale = Full && std::fabs(y) > kLarge ? 0.25f : !Ftz && isTiny(y) ? 0x1p24f : 1;
  if (scale != 1) {
    x = made(x * scale);
    y = made(y * scale);
  }
  return {special::reciprocal(y), x};
}

template <bool Ftz, bool Full> float quotient(float x, float y) {
  auto [inverse, dividend] = factorsOf<Ftz, Full>(x, y);
  float out = inverse * dividend;
  if (Ftz)
    out = flushedFrom(static_cast<double>(inverse) * dividend, out);
  return canonical(out);
}

/// The quotient plus `addend`. The sum is fused with the quotient's product.
template <bool Ftz, bool Full> float quotientPlus(float x, float y, bool negates, float addend) {
  auto [inverse, dividend] = factorsOf<Ftz, Full>(x, y);
  if (negates)
    inverse = -inverse;
  if (Ftz)
    addend = flushed(addend);
  float out = std::fma(inverse, dividend, addend);
  if (Ftz)
    out = flushedFrom(static_cast<double>(inverse) * dividend + addend, out);
  return canonical(out);
}

inline double ofUpper(uint32_t upper) { return std::bit_cast<double>(static_cast<uint64_t>(upper) << 32); }
inline uint32_t upperOf(double x) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(x) >> 32); }

inline double reciprocal(double x) { return ofUpper(special::reciprocalUpper(upperOf(x))); }
inline double inverseRoot(double x) { return ofUpper(special::inverseRootUpper(upperOf(x))); }

/// `rsqrt.approx.f64`, which has one more refinement step than `rsqrt.approx.ftz.f64`.
inline double refinedInverseRoot(double x) {
  if (x == 0)
    return std::copysign(HUGE_VAL, x);
  if (x != x)
    return x + x;
  if (x < 0)
    return std::bit_cast<double>(0xFFF8000000000000);
  if (std::isinf(x))
    return 0;
  constexpr double kScale = 0x1p54, kBack = 0x1p27; // a scale for subnormal numbers, and the square root of the scale
  bool small = x < 0x1p-1022;
  if (small)
    x *= kScale;
  double y = inverseRoot(x), error = std::fma(x, -(y * y), 1.0);
  double refined = std::fma(std::fma(error, 0.375, 0.5), y * error, y);
  return small ? refined * kBack : refined;
}

inline uint16_t cutToF16(float x) {
  if (x != x)
    return kNanF16;
  constexpr float kEnd = 65536, kNormal = 0x1p-14f;
  constexpr uint32_t kBiases = (127 - 15) << 23;
  auto bits = std::bit_cast<uint32_t>(x);
  uint32_t sign = bits >> 16 & 0x8000;
  float magnitude = std::fabs(x);
  if (magnitude >= kEnd)
    return static_cast<uint16_t>(sign | 0x7C00);
  if (magnitude < kNormal)
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(magnitude * 0x1p24f));
  return static_cast<uint16_t>(sign | ((bits & 0x7FFFFFFF) - kBiases) >> 13);
}

inline uint16_t cutToBf16(float x) {
  return x != x ? kNanF16 : static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16);
}

} // namespace lanescope::core::emulator::approximate
