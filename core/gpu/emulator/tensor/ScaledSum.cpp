#include "core/gpu/emulator/tensor/ScaledSum.h"

#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace lanescope::core::emulator {

namespace {

constexpr int kKeptBits = 35;       // bits kept below the largest exponent
constexpr int kZeroExponent = -126; // the exponent of zero
constexpr int kTermUnit = -8;       // the unit of dot times two significands: a quarter times an eighth times an eighth

/// value * 2^shift, truncated towards zero.
int64_t shifted(int64_t value, int shift) {
  if (shift >= 0)
    return value << shift;
  if (shift < -62)
    return 0;
  int64_t magnitude = (value < 0 ? -value : value) >> -shift;
  return value < 0 ? -magnitude : magnitude;
}

/// sum * 2^unit as f32, truncated towards zero.
float toFloat(int64_t sum, int unit) {
  if (sum == 0)
    return 0;
  auto magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  int highest = 63 - __builtin_clzll(magnitude), exponent = highest + unit;
  if (exponent >= 128)
    return sum < 0 ? -HUGE_VALF : HUGE_VALF;
  int lowest = std::max(exponent, -126) - 23, drop = lowest - unit; // `lowest`: the unit of the result's significand
  if (drop > 0)
    magnitude = drop < 64 ? magnitude >> drop : 0;
  float value = std::ldexp(static_cast<float>(magnitude), std::max(lowest, unit));
  return sum < 0 ? -value : value;
}

std::array<ScaleFactor, 256> factorsOf(MatrixType type) {
  std::array<ScaleFactor, 256> out;
  for (int code = 0; code < 256; ++code) {
    if (type == MatrixType::UE8M0) {
      out[code] = {static_cast<int16_t>(code - 127), 8, code == 255};
      continue;
    }
    int exponent = code >> 3 & 15, fraction = code & 7;
    out[code].nan = (code & 127) == 127;
    if (exponent == 0 && fraction == 0)
      continue;
    out[code].exponent = static_cast<int16_t>(std::max(exponent, 1) - 7);
    out[code].significand = static_cast<uint8_t>(exponent ? 8 + fraction : fraction);
  }
  return out;
}

} // namespace

ScaleFactor ScaleFactor::of(MatrixType type, uint8_t code) {
  static const std::array<ScaleFactor, 256> ue8m0 = factorsOf(MatrixType::UE8M0), ue4m3 = factorsOf(MatrixType::UE4M3);
  return (type == MatrixType::UE8M0 ? ue8m0 : ue4m3)[code];
}

float scaledSum(std::span<const ScaledTerm> terms, float old) {
  auto bits = std::bit_cast<uint32_t>(old);
  int exponent = static_cast<int>(bits >> 23 & 0xFF) - 127;
  bool nan = old != old;
  int largest = std::max(exponent, kZeroExponent);
  for (const ScaledTerm &term : terms) {
    nan |= term.scaleA.nan || term.scaleB.nan;
    largest = std::max(largest, term.scaleA.exponent + term.scaleB.exponent);
  }
  if (nan)
    return std::bit_cast<float>(kNanF32);
  if (exponent == 128)
    return old;
  int64_t significand = static_cast<int64_t>(bits & 0x7FFFFF) | (exponent > -127 ? 1 << 23 : 0);
  int64_t sum =
      shifted(bits >> 31 ? -significand : significand, std::max(exponent, kZeroExponent) - 23 - (largest - kKeptBits));
  for (const ScaledTerm &term : terms)
    sum += shifted(int64_t{term.dot} * term.scaleA.significand * term.scaleB.significand,
                   term.scaleA.exponent + term.scaleB.exponent + kTermUnit - (largest - kKeptBits));
  return toFloat(sum, largest - kKeptBits);
}

} // namespace lanescope::core::emulator
