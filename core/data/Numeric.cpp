#include "core/data/Numeric.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace lanescope::core {

namespace {

/// The result for a value beyond the largest finite one.
enum class Overflow { Infinity, Saturate };

/// A sign-magnitude binary format: sign bit, `exponentBits`, `mantissaBits`.
struct Format {
  int exponentBits, mantissaBits, bias;
  uint32_t maxFinite; // magnitude bits of the largest finite value
  uint32_t nan;       // the encoding of NaN
  Overflow overflow;
  int bits() const { return 1 + exponentBits + mantissaBits; }
  uint32_t infinity() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  bool hasInfinity() const { return maxFinite < infinity(); }
};

// Maxima and NaNs: OCP 8-bit and microscaling formats. NaN has all bits set but the sign, as in NVIDIA's converters.
constexpr Format kF16{5, 10, 15, 0x7BFF, 0x7FFF, Overflow::Infinity};
constexpr Format kBf16{8, 7, 127, 0x7F7F, 0x7FFF, Overflow::Infinity};
constexpr Format kF32{8, 23, 127, 0x7F7FFFFF, 0x7FFFFFFF, Overflow::Infinity};
constexpr Format kF8E4M3FN{4, 3, 7, 0x7E, 0x7F, Overflow::Saturate};
constexpr Format kF8E5M2{5, 2, 15, 0x7B, 0x7F, Overflow::Saturate};
constexpr Format kF6E2M3FN{2, 3, 1, 0x1F, 0x1F, Overflow::Saturate};
constexpr Format kF6E3M2FN{3, 2, 3, 0x1F, 0x1F, Overflow::Saturate};
constexpr Format kF4E2M1FN{2, 1, 1, 0x7, 0x7, Overflow::Saturate};

/// Rounds `value >> shift` to nearest, ties to even.
uint64_t shiftRounding(uint64_t value, int shift) {
  if (shift <= 0)
    return value << -shift;
  if (shift > 63)
    return 0;
  uint64_t kept = value >> shift, rest = value & ((uint64_t{1} << shift) - 1), half = uint64_t{1} << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

/// The magnitude bits of a finite, positive `value`, as if the exponent had no upper limit.
uint64_t encodeMagnitude(const Format &format, double value) {
  auto bits = std::bit_cast<uint64_t>(value);
  auto field = static_cast<int>(bits >> 52 & 0x7FF);
  if (field == 0)
    return 0; // zero, or a binary64 subnormal: far below half of any format's smallest value
  int exponent = field - 1023;
  uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  int target = std::max(exponent, 1 - format.bias); // subnormals share the smallest normal exponent
  uint64_t rounded = shiftRounding(significand, 52 - format.mantissaBits + (target - exponent));
  // A normal significand includes its hidden bit, which adds one to the exponent field. A carry does so too.
  return (static_cast<uint64_t>(target + format.bias - 1) << format.mantissaBits) + rounded;
}

uint32_t encode(const Format &format, double value) {
  if (std::isnan(value))
    return format.nan;
  uint32_t sign = std::signbit(value) ? 1u << (format.bits() - 1) : 0;
  uint64_t magnitude = std::isinf(value) ? ~uint64_t{0} : encodeMagnitude(format, std::fabs(value));
  if (magnitude > format.maxFinite)
    magnitude = format.overflow == Overflow::Saturate ? format.maxFinite : format.infinity();
  return sign | static_cast<uint32_t>(magnitude);
}

double decode(const Format &format, uint32_t bits) {
  uint32_t magnitude = bits & ((1u << (format.bits() - 1)) - 1);
  bool negative = bits >> (format.bits() - 1) & 1;
  double value;
  if (magnitude > format.maxFinite) {
    bool infinite = format.hasInfinity() && magnitude == format.infinity();
    value = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else {
    int field = static_cast<int>(magnitude >> format.mantissaBits);
    uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
    if (field > 0)
      mantissa |= 1u << format.mantissaBits;
    value = std::ldexp(mantissa, std::max(field, 1) - format.bias - format.mantissaBits);
  }
  return negative ? -value : value;
}

// f8e8m0fnu is a power of two without sign or zero: 2^(bits - 127), NaN at 0xFF.
uint32_t encodeE8M0(double value) {
  if (std::isnan(value) || std::signbit(value))
    return 0xFF;
  if (std::isinf(value))
    return 0xFE;
  int exponent;
  double fraction = std::frexp(value, &exponent); // value = fraction * 2^exponent, 0.5 <= fraction < 1
  if (value == 0 || exponent - 1 < -127)
    return 0; // there is no zero; the smallest power of two replaces it
  int code = exponent - 1 + 127;
  if (fraction > 0.75 || (fraction == 0.75 && (code & 1)))
    ++code;
  return static_cast<uint32_t>(std::min(code, 0xFE));
}

double decodeE8M0(uint32_t bits) {
  return (bits & 0xFF) == 0xFF ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, int(bits & 0xFF) - 127);
}

const Format &formatOf(Dtype dtype) {
  switch (dtype) {
  case Dtype::F16: return kF16;
  case Dtype::BF16: return kBf16;
  case Dtype::F8E4M3FN: return kF8E4M3FN;
  case Dtype::F8E5M2: return kF8E5M2;
  case Dtype::F6E2M3FN: return kF6E2M3FN;
  case Dtype::F6E3M2FN: return kF6E3M2FN;
  case Dtype::F4E2M1FN: return kF4E2M1FN;
  default: assert(dtype == Dtype::F32 && "a float dtype of at most 32 bits"); return kF32;
  }
}

} // namespace

float f16ToF32(uint16_t bits) {
  uint32_t sign = uint32_t{bits & 0x8000u} << 16, field = bits >> 10 & 0x1F, mantissa = bits & 0x3FF;
  if (field == 0x1F)
    return std::bit_cast<float>(mantissa ? 0x7FFFFFFFu : sign | 0x7F800000u);
  if (field == 0) {
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (field + 112) << 23 | mantissa << 13);
}

uint16_t f32ToF16(float value) {
  constexpr uint32_t kNan = 0x7F800000, kOverflow = 0x477FF000, kNormal = 0x38800000; // the values 65520 and 2^-14
  auto bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
  if (magnitude > kNan)
    return static_cast<uint16_t>(kF16.nan);
  if (magnitude >= kOverflow)
    return static_cast<uint16_t>(sign | kF16.infinity());
  // The last place of one half, as a float, is 2^-24, like that of f16's subnormals. So the addition rounds.
  if (magnitude < kNormal)
    return static_cast<uint16_t>(
        sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f)));
  return static_cast<uint16_t>(sign | (magnitude - (112u << 23) + 0xFFF + (magnitude >> 13 & 1)) >> 13);
}

float bf16ToF32(uint16_t bits) {
  if ((bits & 0x7FFF) > 0x7F80)
    return std::bit_cast<float>(0x7FFFFFFFu);
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

uint16_t f32ToBf16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return 0x7FFF;
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

double decodeFloat(Dtype dtype, uint32_t bits) {
  switch (dtype) {
  case Dtype::F8E8M0FNU: return decodeE8M0(bits);
  case Dtype::F32:
  case Dtype::TF32: return std::bit_cast<float>(bits);
  default: return decode(formatOf(dtype), bits);
  }
}

uint32_t encodeFloat(Dtype dtype, double value) {
  switch (dtype) {
  case Dtype::F8E8M0FNU: return encodeE8M0(value);
  case Dtype::TF32: {
    // TF32 is binary32 with 13 zero bits at the end of the mantissa. Encoding in a format with ten bits of mantissa
    // rounds the value once.
    constexpr Format kTf32{8, 10, 127, 0x3FBFF, 0x3FFFF, Overflow::Infinity};
    return std::isnan(value) ? kF32.nan : encode(kTf32, value) << 13;
  }
  default: return encode(formatOf(dtype), value);
  }
}

} // namespace lanescope::core
