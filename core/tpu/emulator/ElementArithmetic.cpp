#include "core/tpu/emulator/ElementArithmetic.h"

#include "core/data/Numeric.h"
#include "core/tpu/emulator/XlaFunctions.h"

#include <bit>
#include <cmath>
#include <limits>

namespace lanescope::core::sparsecore {

static uint64_t maskOf(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
static int widthOf(const Element &element) { return element.kind == Element::Kind::Index ? 64 : element.bits; }

int64_t signedOf(const Element &element, uint64_t bits) {
  int unused = 64 - widthOf(element);
  return static_cast<int64_t>(bits << unused) >> unused;
}
uint64_t integerBits(const Element &element, int64_t value) {
  return static_cast<uint64_t>(value) & maskOf(widthOf(element));
}

double floatOf(const Element &element, uint64_t bits) {
  if (element.dtype == Dtype::F32)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (element.dtype == Dtype::F64)
    return std::bit_cast<double>(bits);
  return decodeFloat(element.dtype, static_cast<uint32_t>(bits));
}
uint64_t floatBits(const Element &element, double value) {
  if (element.dtype == Dtype::F32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (element.dtype == Dtype::F64)
    return std::bit_cast<uint64_t>(value);
  return encodeFloat(element.dtype, value);
}

namespace {

using Cells = std::span<const uint64_t>;

template <typename F> void lanes(std::span<uint64_t> out, F &&f) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = f(i);
}

bool compareInteger(int32_t predicate, const Element &type, uint64_t a, uint64_t b) {
  int64_t x = signedOf(type, a), y = signedOf(type, b);
  switch (predicate) {
  case 0: return a == b;
  case 1: return a != b;
  case 2: return x < y;
  case 3: return x <= y;
  case 4: return x > y;
  case 5: return x >= y;
  case 6: return a < b;
  case 7: return a <= b;
  case 8: return a > b;
  default: return a >= b;
  }
}

bool compareFloat(int32_t predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case 0: return false;
  case 1: return a == b;
  case 2: return a > b;
  case 3: return a >= b;
  case 4: return a < b;
  case 5: return a <= b;
  case 6: return !unordered && a != b;
  case 7: return !unordered;
  case 8: return unordered || a == b;
  case 9: return !(a <= b);
  case 10: return !(a < b);
  case 11: return !(a >= b);
  case 12: return !(a > b);
  case 13: return unordered || a != b;
  case 14: return unordered;
  default: return true;
  }
}

bool overflows(const Element &type, int64_t x, int64_t y) {
  return y == -1 && x == signedOf(type, uint64_t{1} << (widthOf(type) - 1));
}
int64_t divided(const Element &type, int64_t x, int64_t y) { return y == 0 ? -1 : overflows(type, x, y) ? x : x / y; }
int64_t remainder(const Element &type, int64_t x, int64_t y) { return y == 0 ? x : overflows(type, x, y) ? 0 : x % y; }

uint64_t ofInteger(Elementwise op, const Element &t, uint64_t a, uint64_t b) {
  int64_t x = signedOf(t, a), y = signedOf(t, b);
  auto bits = [&](int64_t value) { return integerBits(t, value); };
  auto wrapped = [&](uint64_t value) { return value & maskOf(widthOf(t)); };
  uint64_t width = static_cast<uint64_t>(widthOf(t));
  switch (op) {
  case Elementwise::AddInteger: return wrapped(a + b);
  case Elementwise::SubInteger: return wrapped(a - b);
  case Elementwise::MulInteger: return wrapped(a * b);
  case Elementwise::DivSigned: return bits(divided(t, x, y));
  case Elementwise::DivUnsigned: return b == 0 ? maskOf(widthOf(t)) : a / b;
  case Elementwise::CeilDivSigned: {
    int64_t q = divided(t, x, y), r = remainder(t, x, y);
    return bits(y != 0 && r != 0 && (r < 0) == (y < 0) ? q + 1 : q);
  }
  case Elementwise::CeilDivUnsigned: return b == 0 ? maskOf(widthOf(t)) : a / b + (a % b != 0);
  case Elementwise::FloorDivSigned: {
    int64_t q = divided(t, x, y), r = remainder(t, x, y);
    return bits(y != 0 && r != 0 && (r < 0) != (y < 0) ? q - 1 : q);
  }
  case Elementwise::RemSigned: return bits(remainder(t, x, y));
  case Elementwise::RemUnsigned: return b == 0 ? a : a % b;
  case Elementwise::And: return a & b;
  case Elementwise::Or: return a | b;
  case Elementwise::Xor: return a ^ b;
  case Elementwise::ShiftLeft: return b >= width ? 0 : wrapped(a << b);
  case Elementwise::ShiftRightSigned: return bits(x >> std::min<uint64_t>(b, width - 1));
  case Elementwise::ShiftRightUnsigned: return b >= width ? 0 : a >> b;
  case Elementwise::MaxSigned: return x > y ? a : b;
  case Elementwise::MinSigned: return x < y ? a : b;
  case Elementwise::MaxUnsigned: return std::max(a, b);
  case Elementwise::MinUnsigned: return std::min(a, b);
  case Elementwise::AbsoluteInteger: return x < 0 ? wrapped(-a) : a;
  case Elementwise::CountLeadingZeros: return static_cast<uint64_t>(std::countl_zero(a)) - (64 - width);
  case Elementwise::CountTrailingZeros: return a == 0 ? width : static_cast<uint64_t>(std::countr_zero(a));
  default: return static_cast<uint64_t>(std::popcount(a));
  }
}

enum class Extreme : bool { Least, Most };

/// Handles zeros and NaN like IEEE's maximum and minimum.
double extreme(Extreme which, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  const bool most = which == Extreme::Most;
  if (a == b)
    return std::signbit(a) == most ? b : a;
  return (a > b) == most ? a : b;
}

/// Like IEEE's maximumNumber and minimumNumber: a number is preferred to NaN.
double extremeNumber(Extreme which, double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : extreme(which, a, b);
}

double rounded(const Element &t, double value) {
  return t.dtype == Dtype::F64 ? value : static_cast<double>(static_cast<float>(value));
}

double ofFloat(Elementwise op, double a, double b, double c) {
  switch (op) {
  case Elementwise::AddFloat: return a + b;
  case Elementwise::SubFloat: return a - b;
  case Elementwise::MulFloat: return a * b;
  case Elementwise::DivFloat: return a / b;
  case Elementwise::RemFloat: return std::fmod(a, b);
  case Elementwise::MaximumFloat: return extreme(Extreme::Most, a, b);
  case Elementwise::MinimumFloat: return extreme(Extreme::Least, a, b);
  case Elementwise::MaxNumFloat: return extremeNumber(Extreme::Most, a, b);
  case Elementwise::MinNumFloat: return extremeNumber(Extreme::Least, a, b);
  case Elementwise::CeilFloat: return std::ceil(a);
  case Elementwise::FloorFloat: return std::floor(a);
  case Elementwise::RoundFloat: return std::round(a);
  case Elementwise::RoundEvenFloat: return std::nearbyint(a);
  case Elementwise::TruncFloat: return std::trunc(a);
  case Elementwise::Exp: return std::exp(a);
  case Elementwise::Exp2: return std::exp2(a);
  case Elementwise::ExpMinusOne: return std::expm1(a);
  case Elementwise::Log: return std::log(a);
  case Elementwise::Log2: return std::log2(a);
  case Elementwise::Log1p: return std::log1p(a);
  case Elementwise::Sqrt: return std::sqrt(a);
  case Elementwise::Rsqrt: return 1 / std::sqrt(a);
  case Elementwise::Sin: return std::sin(a);
  case Elementwise::Cos: return std::cos(a);
  case Elementwise::Tan: return std::tan(a);
  case Elementwise::Tanh: return std::tanh(a);
  case Elementwise::Erf: return std::erf(a);
  case Elementwise::Power: return std::pow(a, b);
  case Elementwise::FusedMultiplyAdd: return std::fma(a, b, c);
  default: return std::atan2(a, b);
  }
}

uint64_t integerOfFloat(const Element &to, double value, bool isSigned) {
  if (std::isnan(value))
    return 0;
  int width = widthOf(to);
  double least = isSigned ? -std::ldexp(1.0, width - 1) : 0, beyond = std::ldexp(1.0, isSigned ? width - 1 : width);
  value = std::trunc(value);
  if (value <= least)
    return isSigned ? integerBits(to, signedOf(to, uint64_t{1} << (width - 1))) : 0;
  if (value >= beyond)
    return isSigned ? maskOf(width - 1) : maskOf(width);
  return isSigned ? integerBits(to, static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
}

uint64_t signBit(const Element &t) { return uint64_t{1} << (t.bits - 1); }

uint64_t converted(const ElementwiseForm &form, uint64_t a) {
  const Element &from = form.operand, &to = form.result;
  switch (form.op) {
  case Elementwise::ExtendSigned:
  case Elementwise::IndexCast: return integerBits(to, signedOf(from, a));
  case Elementwise::ExtendUnsigned:
  case Elementwise::IndexCastUnsigned:
  case Elementwise::Truncate: return a & maskOf(widthOf(to));
  case Elementwise::ExtendFloat:
  case Elementwise::TruncateFloat: return floatBits(to, floatOf(from, a));
  case Elementwise::FloatToSigned: return integerOfFloat(to, floatOf(from, a), true);
  case Elementwise::FloatToUnsigned: return integerOfFloat(to, floatOf(from, a), false);
  case Elementwise::SignedToFloat: return floatBits(to, static_cast<double>(signedOf(from, a)));
  case Elementwise::UnsignedToFloat: return floatBits(to, static_cast<double>(a));
  case Elementwise::IsNan: return std::isnan(floatOf(from, a));
  case Elementwise::IsInf: return std::isinf(floatOf(from, a));
  default: return std::isfinite(floatOf(from, a));
  }
}

uint64_t integerPower(const Element &t, uint64_t a, int64_t power) {
  if (power < 0) {
    int64_t base = signedOf(t, a);
    return base == 1 ? 1 : base == -1 ? integerBits(t, power % 2 ? -1 : 1) : 0;
  }
  uint64_t result = 1;
  for (uint64_t p = static_cast<uint64_t>(power); p != 0; p >>= 1, a *= a)
    if (p & 1)
      result *= a;
  return result & maskOf(widthOf(t));
}

} // namespace

void elementwise(const ElementwiseForm &form, Cells a, Cells b, Cells c, std::span<uint64_t> out) {
  const Element &t = form.operand;
  switch (form.op) {
  case Elementwise::CompareInteger:
    return lanes(out, [&](size_t i) { return compareInteger(form.predicate, t, a[i], b[i]); });
  case Elementwise::CompareFloat:
    return lanes(out, [&](size_t i) { return compareFloat(form.predicate, floatOf(t, a[i]), floatOf(t, b[i])); });
  case Elementwise::Select: return lanes(out, [&](size_t i) { return a[i] ? b[i] : c[i]; });
  case Elementwise::NegateFloat: return lanes(out, [&](size_t i) { return a[i] ^ signBit(t); });
  case Elementwise::AbsoluteFloat: return lanes(out, [&](size_t i) { return a[i] & ~signBit(t); });
  case Elementwise::CopySign: return lanes(out, [&](size_t i) { return (a[i] & ~signBit(t)) | (b[i] & signBit(t)); });
  case Elementwise::AbsoluteInteger:
  case Elementwise::CountLeadingZeros:
  case Elementwise::CountTrailingZeros:
  case Elementwise::CountOnes: return lanes(out, [&](size_t i) { return ofInteger(form.op, t, a[i], 0); });
  case Elementwise::IntegerPower:
    if (t.isFloat())
      return lanes(out, [&](size_t i) {
        return floatBits(t, std::pow(floatOf(t, a[i]), static_cast<double>(static_cast<int32_t>(b[i]))));
      });
    return lanes(out, [&](size_t i) { return integerPower(t, a[i], static_cast<int32_t>(b[i])); });
  default: break;
  }
  if (form.op <= Elementwise::MinUnsigned)
    return lanes(out, [&](size_t i) { return ofInteger(form.op, t, a[i], b[i]); });
  if ((form.op >= Elementwise::ExtendSigned && form.op <= Elementwise::IndexCastUnsigned) ||
      form.op >= Elementwise::IsNan)
    return lanes(out, [&](size_t i) { return converted(form, a[i]); });
  if (t.dtype != Dtype::F64 && (form.op == Elementwise::Exp || form.op == Elementwise::Tanh))
    return lanes(out, [&](size_t i) {
      float x = static_cast<float>(floatOf(t, a[i]));
      return floatBits(t, form.op == Elementwise::Exp ? exponential(x) : hyperbolicTangent(x));
    });
  lanes(out, [&](size_t i) {
    double y = b.empty() ? 0 : floatOf(t, b[i]), z = c.empty() ? 0 : floatOf(t, c[i]);
    return floatBits(t, rounded(t, ofFloat(form.op, floatOf(t, a[i]), y, z)));
  });
}

uint64_t added(const Element &element, uint64_t a, uint64_t b) {
  if (element.isFloat())
    return floatBits(element, rounded(element, floatOf(element, a) + floatOf(element, b)));
  return integerBits(element, static_cast<int64_t>(a + b));
}

} // namespace lanescope::core::sparsecore
