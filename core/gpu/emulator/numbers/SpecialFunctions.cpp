#include "core/gpu/emulator/numbers/SpecialFunctions.h"

#include "core/gpu/emulator/numbers/SpecialPolynomials.h"

#include <bit>

namespace lanescope::core::emulator::special {

namespace {

constexpr uint32_t kInfinity = 0x7F800000, kNan = 0x7FFFFFFF;

float number(uint32_t bits) { return std::bit_cast<float>(bits); }

/// Makes a float from a 24-bit significand. The result must not be subnormal.
float number(uint32_t sign, int exponent, int64_t significand) {
  if (exponent <= -kBias)
    return number(sign);
  return number(sign | static_cast<uint32_t>(exponent + kBias) << kFractionBits |
                (static_cast<uint32_t>(significand) & kFraction));
}

/// A value in units of 2^unit, truncated to 24 bits.
float normalised(uint32_t sign, uint64_t value, int unit) {
  if (value == 0)
    return number(sign);
  int top = 63 - std::countl_zero(value);
  uint64_t significand = top >= kFractionBits ? value >> (top - kFractionBits) : value << (kFractionBits - top);
  return number(sign, top + unit, static_cast<int64_t>(significand));
}

struct Parts {
  uint32_t sign, magnitude, fraction;
  int exponent;
  bool isNan() const { return magnitude > kInfinity; }
  bool isInfinite() const { return magnitude == kInfinity; }
  bool isZero() const { return magnitude <= kFraction; }
};

Parts partsOf(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  uint32_t magnitude = bits & ~kSign;
  return {bits & kSign, magnitude, bits & kFraction, static_cast<int>(magnitude >> kFractionBits) - kBias};
}

/// The sine of an angle: `turn` in units of 2^-25 turns, plus `quarters` quarters of a turn.
float sineOf(uint32_t sign, uint32_t turn, uint32_t quarters) {
  constexpr uint32_t kQuarter = 1u << kFractionBits;
  turn += quarters * kQuarter;
  uint32_t within = turn & (kQuarter - 1), quarter = turn >> kFractionBits & 3;
  if (quarter & 1)
    within = ~within & (kQuarter - 1);
  if (quarter & 2)
    sign ^= kSign;
  return normalised(sign, static_cast<uint64_t>(valueAt<6>(kSines, within)), -37);
}

/// The fractional part of x's magnitude in turns, truncated to 25 bits.
uint32_t fractionOfTurn(const Parts &x) {
  constexpr int kTurnBits = 25;
  uint64_t significand = x.fraction | 1u << kFractionBits;
  int shift = x.exponent - kFractionBits + kTurnBits;
  if (shift >= kTurnBits || shift <= -64)
    return 0;
  return static_cast<uint32_t>(shift >= 0 ? significand << shift : significand >> -shift) & ((1u << kTurnBits) - 1);
}

} // namespace

float reciprocal(float x) {
  Parts p = partsOf(x);
  if (p.isNan())
    return number(kNan);
  if (p.isInfinite())
    return number(p.sign);
  if (p.isZero())
    return number(p.sign | kInfinity);
  if (p.fraction == 0)
    return number(p.sign, -p.exponent, 0);
  return number(p.sign, -p.exponent - 1, valueAt<7>(kReciprocals, p.fraction) >> 15);
}

float inverseRoot(float x) {
  Parts p = partsOf(x);
  if (p.isNan())
    return number(kNan);
  if (p.isZero())
    return number(p.sign | kInfinity);
  if (p.sign)
    return number(kNan);
  if (p.isInfinite())
    return 0;
  int half = p.exponent >> 1;
  if (p.exponent & 1)
    return number(0, -half - 1, valueAt<6>(kInverseRoots + 64, p.fraction) >> 16);
  if (p.fraction == 0)
    return number(0, -half, 0);
  return number(0, -half - 1, valueAt<6>(kInverseRoots, p.fraction) >> 16);
}

float root(float x) {
  Parts p = partsOf(x);
  if (p.isNan())
    return number(kNan);
  if (p.isZero())
    return number(p.sign);
  if (p.sign)
    return number(kNan);
  if (p.isInfinite())
    return x;
  int half = p.exponent >> 1;
  return p.exponent & 1 ? number(0, half, valueAt<6>(kRoots2, p.fraction) >> 16)
                        : number(0, half, valueAt<6>(kRoots1, p.fraction) >> 17);
}

float power(float x) {
  Parts p = partsOf(x);
  if (p.isNan())
    return number(kNan);
  if (p.exponent >= 7) // magnitudes from 128 on
    return number(p.sign ? 0 : kInfinity);
  // In units of 2^-23. For a negative value with a fraction, the integer part is one less.
  uint32_t significand = p.fraction | 1u << kFractionBits;
  int32_t fixed = p.exponent >= 0    ? static_cast<int32_t>(significand << p.exponent)
                  : p.exponent > -24 ? static_cast<int32_t>(significand >> -p.exponent)
                                     : 0;
  if (p.sign)
    fixed = fixed & static_cast<int32_t>(kFraction) ? ~fixed : -fixed;
  return number(0, fixed >> kFractionBits, valueAt<6>(kPowers, static_cast<uint32_t>(fixed) & kFraction) >> 15);
}

float logarithm(float x) {
  Parts p = partsOf(x);
  if (p.isNan())
    return number(kNan);
  if (p.isZero())
    return number(kSign | kInfinity);
  if (p.sign)
    return number(kNan);
  if (p.isInfinite())
    return x;
  if (p.exponent == 0 && p.fraction == 0)
    return 0;
  constexpr int kUnit = -38;
  int64_t value = (static_cast<int64_t>(p.exponent) << -kUnit) + valueAt<6>(kLogarithms, p.fraction);
  if (value >= 0)
    return normalised(0, static_cast<uint64_t>(value), kUnit);
  return normalised(kSign, static_cast<uint64_t>(~value) & ~uint64_t{3}, kUnit);
}

float sine(float turns) {
  Parts p = partsOf(turns);
  return p.exponent == 128 ? number(kNan) : sineOf(p.sign, fractionOfTurn(p), 0);
}

float cosine(float turns) {
  Parts p = partsOf(turns);
  return p.exponent == 128 ? number(kNan) : sineOf(0, fractionOfTurn(p), 1);
}

float hyperbolicTangent(float x) {
  constexpr int kFirst = -8, kEnd = 3, kRest = 17;
  struct Binade {
    uint8_t segment, bits; // index of the first segment, and the number of bits that select one
  };
  static constexpr Binade kBinades[kEnd - kFirst] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
                                                     {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
  Parts p = partsOf(x);
  if (p.isNan())
    return number(kNan);
  if (p.exponent < kFirst)
    return x;
  if (p.exponent >= kEnd)
    return number(p.sign, 0, 0);
  auto [segment, bits] = kBinades[p.exponent - kFirst];
  uint32_t rest = p.fraction >> (kFractionBits - kRest - bits) & ((1u << kRest) - 1);
  int64_t value = valueOf<kRest>(kTangents[segment + (p.fraction >> (kFractionBits - bits))], rest);
  return normalised(p.sign, static_cast<uint64_t>(value), p.exponent < 0 ? p.exponent - 38 : -39);
}

namespace {

// The upper word of a double is like a float without its last 3 bits.
constexpr int kUpperBits = 20, kMissing = kFractionBits - kUpperBits, kUpperBias = 1023;
constexpr uint32_t kUpperFraction = (1u << kUpperBits) - 1, kUpperInfinity = 0x7FF00000, kUpperNan = 0x7FFFFFFF;

uint32_t upper(uint32_t sign, int exponent, int64_t significand) {
  if (exponent <= -kUpperBias)
    return sign;
  return sign | static_cast<uint32_t>(exponent + kUpperBias) << kUpperBits |
         (static_cast<uint32_t>(significand >> kMissing) & kUpperFraction);
}

} // namespace

uint32_t reciprocalUpper(uint32_t bits) {
  uint32_t sign = bits & kSign, magnitude = bits & ~kSign, fraction = (bits & kUpperFraction) << kMissing;
  if (magnitude > kUpperInfinity)
    return kUpperNan;
  if (magnitude == kUpperInfinity)
    return sign;
  if (magnitude <= kUpperFraction)
    return sign | kUpperInfinity;
  int exponent = static_cast<int>(magnitude >> kUpperBits) - kUpperBias;
  return fraction == 0 ? upper(sign, -exponent, 0)
                       : upper(sign, -exponent - 1, valueAt<7>(kReciprocals, fraction) >> 15);
}

uint32_t inverseRootUpper(uint32_t bits) {
  uint32_t sign = bits & kSign, magnitude = bits & ~kSign, fraction = (bits & kUpperFraction) << kMissing;
  if (magnitude > kUpperInfinity)
    return kUpperNan;
  if (magnitude <= kUpperFraction)
    return sign | kUpperInfinity;
  if (sign)
    return kUpperNan;
  if (magnitude == kUpperInfinity)
    return 0;
  int exponent = static_cast<int>(magnitude >> kUpperBits) - kUpperBias, half = exponent >> 1;
  if (exponent & 1)
    return upper(0, -half - 1, valueAt<6>(kInverseRoots + 64, fraction) >> 16);
  return fraction == 0 ? upper(0, -half, 0) : upper(0, -half - 1, valueAt<6>(kInverseRoots, fraction) >> 16);
}

} // namespace lanescope::core::emulator::special
