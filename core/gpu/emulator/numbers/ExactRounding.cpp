#include "core/gpu/emulator/numbers/ExactRounding.h"

#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

namespace lanescope::core::emulator {

namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr int kWideBits = 128;

/// magnitude * 2^exponent. If the last bit of a magnitude stands for the rest of a longer number, it is 1 whenever any
/// bit of the rest is 1.
struct Exact {
  bool negative = false;
  Wide magnitude = 0;
  int exponent = 0;
};

int leadingZeros(Wide value) {
  auto high = static_cast<uint64_t>(value >> 64);
  return high ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<uint64_t>(value));
}

/// Moves the top bit of the magnitude to bit `top`, from below. Zero stays zero.
Exact withTopAt(Exact value, int top) {
  if (value.magnitude == 0)
    return value;
  int shift = top - (kWideBits - 1 - leadingZeros(value.magnitude));
  return {value.negative, value.magnitude << shift, value.exponent - shift};
}

Wide shiftedDown(Wide value, int64_t by) {
  if (by >= kWideBits)
    return value != 0;
  if (by == 0)
    return value;
  return value >> by | Wide{(value & ((Wide{1} << by) - 1)) != 0};
}

/// A finite number.
template <class T> Exact exactOf(T value) {
  int exponent = 0;
  double fraction = std::frexp(std::fabs(static_cast<double>(value)), &exponent); // 0, or in [1/2, 1)
  return {std::signbit(value), static_cast<uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

/// True if a magnitude that lies between two representable ones is rounded to the larger one.
bool roundsAway(Rounding mode, bool negative) { return mode == (negative ? Rounding::Down : Rounding::Up); }

/// `mode`: not to nearest.
template <class T> T rounded(Rounding mode, Exact value) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  using Limits = std::numeric_limits<T>;
  constexpr int kKept = Limits::digits, kLeastExponent = Limits::min_exponent - 1;
  auto withSign = [&](T magnitude) { return value.negative ? -magnitude : magnitude; };
  if (value.magnitude == 0)
    return withSign(T(0));
  value = withTopAt(value, kWideBits - 1);
  int64_t exponent = int64_t{value.exponent} + kWideBits - 1; // the exponent of the top bit
  const bool isNormal = exponent >= kLeastExponent;
  const int64_t kept = isNormal ? kKept : kKept - (kLeastExponent - exponent);
  const bool away = roundsAway(mode, value.negative);
  Wide magnitude = kept <= 0 ? 0 : value.magnitude >> (kWideBits - kept);
  const bool isExact = kept > 0 && magnitude << (kWideBits - kept) == value.magnitude;
  magnitude += !isExact && away;
  // A carry out of the magnitude increases the exponent, which lies above it in the bits.
  auto bits = static_cast<Bits>(magnitude);
  if (isNormal) {
    if (exponent + (magnitude >> kKept != 0) >= Limits::max_exponent)
      return withSign(away ? Limits::infinity() : Limits::max());
    bits += static_cast<Bits>(exponent - kLeastExponent) << (kKept - 1);
  }
  return withSign(std::bit_cast<T>(bits));
}

/// The sum of two numbers that are not zero, with a top bit at 125. Nothing is lost but below the last bit.
Exact sumOf(Exact a, Exact b) {
  constexpr int kTop = 125; // leaves a bit for the carry
  a = withTopAt(a, kTop);
  b = withTopAt(b, kTop);
  if (a.exponent < b.exponent)
    std::swap(a, b);
  // A number has at most 106 bits. So the shift loses bits only if it is longer than any cancellation can be.
  b.magnitude = shiftedDown(b.magnitude, int64_t{a.exponent} - b.exponent);
  if (a.negative == b.negative)
    return {a.negative, a.magnitude + b.magnitude, a.exponent};
  if (a.magnitude >= b.magnitude)
    return {a.negative, a.magnitude - b.magnitude, a.exponent};
  return {b.negative, b.magnitude - a.magnitude, a.exponent};
}

/// The integer part of the square root.
uint64_t rootOf(Wide value) {
  Wide root = 0;
  for (Wide bit = Wide{1} << 126; bit; bit >>= 2) {
    if (value >= root + bit) {
      value -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return static_cast<uint64_t>(root);
}

template <class... T> bool areFinite(T... values) { return (std::isfinite(values) && ...); }

} // namespace

template <class T> T ExactArithmetic::sum(T a, T b, T c, T nearest) const {
  if (mode_ == Rounding::Nearest || !areFinite(a, b, c))
    return nearest;
  Exact left = exactOf(a), right = exactOf(b), addend = exactOf(c);
  Exact product{left.negative != right.negative, left.magnitude * right.magnitude, left.exponent + right.exponent};
  if (product.magnitude == 0 && addend.magnitude == 0) // two zeros
    return product.negative == addend.negative ? rounded<T>(mode_, product) : mode_ == Rounding::Down ? T(-0.0) : T(0);
  if (product.magnitude == 0)
    return rounded<T>(mode_, addend);
  if (addend.magnitude == 0)
    return rounded<T>(mode_, product);
  Exact all = sumOf(product, addend);
  if (all.magnitude == 0)
    all.negative = mode_ == Rounding::Down;
  return rounded<T>(mode_, all);
}

template <class T> T ExactArithmetic::multiply(T a, T b) const {
  if (mode_ == Rounding::Nearest || !areFinite(a, b))
    return a * b;
  Exact left = exactOf(a), right = exactOf(b);
  return rounded<T>(
      mode_, {left.negative != right.negative, left.magnitude * right.magnitude, left.exponent + right.exponent});
}

template <class T> T ExactArithmetic::divide(T a, T b) const {
  if (mode_ == Rounding::Nearest || !areFinite(a, b) || b == 0)
    return a / b;
  constexpr int kMore = 70; // bits of the quotient beyond the point, at least
  Exact left = exactOf(a), right = exactOf(b);
  Wide dividend = left.magnitude << kMore, quotient = dividend / right.magnitude;
  Wide magnitude = quotient | Wide{quotient * right.magnitude != dividend};
  return rounded<T>(mode_, {left.negative != right.negative, magnitude, left.exponent - kMore - right.exponent});
}

template <class T> T ExactArithmetic::squareRoot(T a) const {
  if (mode_ == Rounding::Nearest || !areFinite(a) || !(a > 0))
    return std::sqrt(a);
  Exact square = withTopAt(exactOf(a), 125);
  if (square.exponent % 2 != 0) // the exponent is halved
    square = {false, square.magnitude << 1, square.exponent - 1};
  uint64_t root = rootOf(square.magnitude);
  bool isExact = Wide{root} * root == square.magnitude;
  return rounded<T>(mode_, {false, Wide{root} << 1 | Wide{!isExact}, square.exponent / 2 - 1});
}

template float ExactArithmetic::sum(float, float, float, float) const;
template double ExactArithmetic::sum(double, double, double, double) const;
template float ExactArithmetic::multiply(float, float) const;
template double ExactArithmetic::multiply(double, double) const;
template float ExactArithmetic::divide(float, float) const;
template double ExactArithmetic::divide(double, double) const;
template float ExactArithmetic::squareRoot(float) const;
template double ExactArithmetic::squareRoot(double) const;

} // namespace lanescope::core::emulator
