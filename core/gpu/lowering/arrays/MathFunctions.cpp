#include "core/gpu/lowering/arrays/MathFunctions.h"

#include <initializer_list>
#include <limits>

namespace lanescope::core {

using namespace mlir;

namespace {

/// Short names for a computation on values of one float type.
struct Float {
  ThreadBuilder &t;
  Type type;    // f32, f64 or a vector
  Type integer; // integers of the same width and number

  Float(ThreadBuilder &t, Type type) : t(t), type(type) {
    int64_t count = ThreadBuilder::countOf(type);
    unsigned width = ThreadBuilder::elementOf(type).getIntOrFloatBitWidth();
    integer = ThreadBuilder::vectorOf(t.builder().getIntegerType(width), count);
  }

  Value c(double value) { return t.number(type, value); }
  Value n(int64_t value) { return t.integer(integer, value); }
  Value add(Value a, Value b) { return t.create<LLVM::FAddOp>(a, b); }
  Value sub(Value a, Value b) { return t.create<LLVM::FSubOp>(a, b); }
  Value mul(Value a, Value b) { return t.create<LLVM::FMulOp>(a, b); }
  Value div(Value a, Value b) { return t.create<LLVM::FDivOp>(a, b); }
  Value fma(Value a, Value b, Value c) { return t.create<LLVM::FMAOp>(a, b, c); }
  Value abs(Value a) { return t.create<LLVM::FAbsOp>(a); }
  Value round(Value a) { return t.create<LLVM::RoundEvenOp>(a); }
  Value copySign(Value magnitude, Value sign) { return t.create<LLVM::CopySignOp>(magnitude, sign); }
  Value select(Value condition, Value a, Value b) { return t.create<LLVM::SelectOp>(condition, a, b); }
  Value is(LLVM::FCmpPredicate predicate, Value a, double b) { return t.create<LLVM::FCmpOp>(predicate, a, c(b)); }
  Value isNan(Value a) { return t.create<LLVM::FCmpOp>(LLVM::FCmpPredicate::uno, a, a); }
  Value bits(Value a) { return t.create<LLVM::BitcastOp>(integer, a); }
  Value fromBits(Value a) { return t.create<LLVM::BitcastOp>(type, a); }
  Value toInteger(Value a) { return t.create<LLVM::FPToSIOp>(integer, a); }
  Value fromInteger(Value a) { return t.create<LLVM::SIToFPOp>(type, a); }
  Value iadd(Value a, Value b) { return t.create<LLVM::AddOp>(a, b); }
  Value isub(Value a, Value b) { return t.create<LLVM::SubOp>(a, b); }
  Value shl(Value a, int64_t by) { return t.create<LLVM::ShlOp>(a, n(by)); }
  Value sar(Value a, int64_t by) { return t.create<LLVM::AShrOp>(a, n(by)); }
  /// Evaluates a polynomial; coefficients go from the highest power down.
  Value polynomial(Value x, std::initializer_list<double> coefficients) {
    Value sum;
    for (double coefficient : coefficients)
      sum = sum ? fma(sum, x, c(coefficient)) : c(coefficient);
    return sum;
  }
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// e^r * 2^k for |r| <= ln(2)/2 and an integral float k of magnitude at most 250, gradual underflow included.
Value scaledExp(Float &f, Value r, Value k) {
  Value p = f.polynomial(
      r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  Value e = f.add(f.fma(p, f.mul(r, r), r), f.c(1));
  // 2^k in two factors, each a normal number.
  Value exponent = f.toInteger(k), half = f.sar(exponent, 1), rest = f.isub(exponent, half);
  Value first = f.fromBits(f.shl(f.iadd(half, f.n(127)), 23));
  Value second = f.fromBits(f.shl(f.iadd(rest, f.n(127)), 23));
  return f.mul(f.mul(e, first), second);
}

/// Clamps x to the range in which the exponent is valid. Beyond this range, the function's result is saturated. NaN
/// becomes `low`.
Value clamp(Float &f, Value x, double low, double high) {
  x = f.select(f.is(LLVM::FCmpPredicate::ogt, x, low), x, f.c(low));
  return f.select(f.is(LLVM::FCmpPredicate::olt, x, high), x, f.c(high));
}

struct Logarithm {
  Value mantissa; // m - 1 for m in [sqrt(1/2), sqrt(2))
  Value exponent; // as a float
  Value y;        // log(1 + mantissa) - mantissa
};

/// Splits x = m * 2^e. Correct only for positive finite x.
Logarithm splitLog(Float &f, Value x) {
  Value subnormal = f.is(LLVM::FCmpPredicate::olt, x, 1.17549435e-38);
  Value scaled = f.select(subnormal, f.mul(x, f.c(8388608)), x); // 2^23
  Value bits = f.bits(scaled);
  // Subtracting the bits of sqrt(1/2) shifts the binade boundary there, so that m is in [sqrt(1/2), sqrt(2)).
  Value shifted = f.isub(bits, f.n(0x3f3504f3));
  Value exponent = f.sar(shifted, 23);
  Value mantissa = f.fromBits(f.isub(bits, f.shl(exponent, 23)));
  Value e = f.add(f.fromInteger(exponent), f.select(subnormal, f.c(-23), f.c(0)));
  Value m = f.sub(mantissa, f.c(1)), z = f.mul(m, m);
  Value p = f.polynomial(m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                             -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Value y = f.fma(f.mul(p, m), z, f.mul(z, f.c(-0.5)));
  return {m, e, y};
}

Value finishLog(Float &f, Value x, Value result) {
  result = f.select(f.is(LLVM::FCmpPredicate::oeq, x, kInfinity), x, result);
  result = f.select(f.is(LLVM::FCmpPredicate::oeq, x, 0), f.c(-kInfinity), result);
  return f.select(f.is(LLVM::FCmpPredicate::ult, x, 0), f.c(kNan), result); // negative or NaN
}

struct Reduced {
  Value rest;      // binary64, within pi/4
  Value quadrants; // 64-bit integers; x = rest + quadrants * pi/2, modulo 2 pi
};

/// Reduces |x| >= 2^25 with the relevant bits of 2/pi (M. Payne, R. Hanek, "Radian reduction for trigonometric
/// functions", 1983). With x = m * 2^e, the number of quarter turns is m * (2^e * 2/pi mod 4). The code takes 96 bits
/// of 2/pi, from the bit that has weight 2 after multiplication by 2^e. It multiplies them by the 24 bits of m, modulo
/// 2^64, in units of 2^-62.
Reduced reduceLarge(Float &f, Float &d, Value x) {
  ThreadBuilder &t = f.t;
  // 2/pi = 0.A2F9836E…, in hexadecimal.
  constexpr uint64_t kTwoOverPi[4] = {0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561};
  auto word = [&](int n) { return d.n(static_cast<int64_t>(kTwoOverPi[n])); };
  auto left = [&](Value a, Value by) { return t.create<LLVM::ShlOp>(a, by); };
  auto right = [&](Value a, Value by) { return t.create<LLVM::LShrOp>(a, by); };
  auto both = [&](Value a, Value b) { return t.create<LLVM::AndOp>(a, b); };
  auto times = [&](Value a, Value b) { return t.create<LLVM::MulOp>(a, b); };
  Value bits = t.create<LLVM::ZExtOp>(d.integer, f.bits(x));
  Value mantissa = t.create<LLVM::OrOp>(both(bits, d.n(0x7FFFFF)), d.n(0x800000));
  // Skip the bits of 2/pi whose weight is 4 or more.
  Value skip = d.isub(both(right(bits, d.n(23)), d.n(255)), d.n(152));
  skip = d.select(t.compare(LLVM::ICmpPredicate::sgt, skip, d.n(0)), skip, d.n(0));
  Value later = t.compare(LLVM::ICmpPredicate::sge, skip, d.n(64)), by = both(skip, d.n(63));
  Value words[3];
  for (int n = 0; n < 3; ++n)
    words[n] = d.select(later, word(n + 1), word(n));
  auto window = [&](Value high, Value low) {
    Value rest = right(right(low, d.n(1)), d.isub(d.n(63), by));
    return t.create<LLVM::OrOp>(left(high, by), rest);
  };
  Value high = window(words[0], words[1]), low = right(window(words[1], words[2]), d.n(32));
  Value turns = d.iadd(times(mantissa, high), right(times(mantissa, low), d.n(32)));
  Value quadrants = right(d.iadd(turns, d.n(int64_t(1) << 61)), d.n(62));
  Value fraction = d.isub(turns, left(quadrants, d.n(62)));
  Value rest = d.mul(d.fromInteger(fraction), d.c(1.5707963267948965580 * 0x1p-62));
  Value negative = t.compare(LLVM::ICmpPredicate::slt, f.bits(x), f.n(0));
  return {d.select(negative, t.create<LLVM::FNegOp>(rest), rest),
          d.select(negative, d.isub(d.n(0), quadrants), quadrants)};
}

/// sin(x + quarters * pi/2).
Value sineOf(ThreadBuilder &t, Value x, int64_t quarters) {
  Float f(t, x.getType());
  Type wide = ThreadBuilder::vectorOf(t.builder().getF64Type(), ThreadBuilder::countOf(x.getType()));
  Float d(t, wide);
  Value x64 = t.create<LLVM::FPExtOp>(wide, x);
  Value count = d.round(d.mul(x64, d.c(0.63661977236758134308))); // 2/pi
  Value r64 = d.fma(count, d.c(-1.5707963267948965580), x64);     // pi/2 in two parts
  r64 = d.fma(count, d.c(-6.1232339957367660359e-17), r64);
  Value isLarge = f.is(LLVM::FCmpPredicate::oge, f.abs(x), 0x1p32);
  Reduced large = reduceLarge(f, d, x);
  Value r = t.create<LLVM::FPTruncOp>(f.type, d.select(isLarge, large.rest, r64));
  Value quadrant = t.create<LLVM::TruncOp>(f.integer, d.select(isLarge, large.quadrants, d.toInteger(count)));
  quadrant = f.iadd(quadrant, f.n(quarters));
  Value z = f.mul(r, r);
  Value sine = f.fma(f.mul(f.polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}), z), r, r);
  Value cosine = f.polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cosine = f.add(f.fma(cosine, f.mul(z, z), f.mul(z, f.c(-0.5))), f.c(1));
  auto bit = [&](int64_t mask) {
    return t.compare(LLVM::ICmpPredicate::ne, t.create<LLVM::AndOp>(quadrant, f.n(mask)), f.n(0));
  };
  Value value = f.select(bit(1), cosine, sine);
  value = f.select(bit(2), t.create<LLVM::FNegOp>(value), value);
  // For infinities and NaN, x - x is NaN.
  return f.select(f.is(LLVM::FCmpPredicate::olt, f.abs(x), kInfinity), value, f.sub(x, x));
}

} // namespace

Value expF32(ThreadBuilder &t, Value x) {
  Float f(t, x.getType());
  Value clamped = clamp(f, x, -105, 90);
  Value k = f.round(f.mul(clamped, f.c(1.44269504088896341)));
  Value r = f.fma(k, f.c(-0.693359375), clamped);
  r = f.fma(k, f.c(2.12194440e-4), r);
  return f.select(f.isNan(x), x, scaledExp(f, r, k));
}

Value exp2F32(ThreadBuilder &t, Value x) {
  Float f(t, x.getType());
  Value clamped = clamp(f, x, -152, 130);
  Value k = f.round(clamped);
  Value r = f.mul(f.sub(clamped, k), f.c(0.693147180559945309));
  return f.select(f.isNan(x), x, scaledExp(f, r, k));
}

Value logF32(ThreadBuilder &t, Value x) {
  Float f(t, x.getType());
  Logarithm l = splitLog(f, x);
  Value sum = f.fma(l.exponent, f.c(-2.12194440e-4), l.y);
  sum = f.add(l.mantissa, sum);
  return finishLog(f, x, f.fma(l.exponent, f.c(0.693359375), sum));
}

Value log2F32(ThreadBuilder &t, Value x) {
  Float f(t, x.getType());
  Logarithm l = splitLog(f, x);
  constexpr double kLog2eMinus1 = 0.44269504088896340736;
  Value sum = f.mul(l.y, f.c(kLog2eMinus1));
  sum = f.fma(l.mantissa, f.c(kLog2eMinus1), sum);
  sum = f.add(f.add(f.add(sum, l.y), l.mantissa), l.exponent);
  return finishLog(f, x, sum);
}

Value sinF32(ThreadBuilder &t, Value x) { return sineOf(t, x, 0); }
Value cosF32(ThreadBuilder &t, Value x) { return sineOf(t, x, 1); }

Value tanhF32(ThreadBuilder &t, Value x) {
  Float f(t, x.getType());
  Value magnitude = f.abs(x), s = f.mul(x, x);
  Value small =
      f.polynomial(s, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
  small = f.fma(f.mul(small, s), x, x);
  Value e = expF32(t, f.add(magnitude, magnitude));
  Value large = f.sub(f.c(1), f.div(f.c(2), f.add(e, f.c(1))));
  return f.select(f.is(LLVM::FCmpPredicate::olt, magnitude, 0.625), small, f.copySign(large, x));
}

Value erfF32(ThreadBuilder &t, Value x) {
  // A small argument takes an odd Taylor polynomial. Any other takes 1 - t e^(-x^2 + P(t)) with t = 1/(1 + x/2) (Press
  // et al., "erfcc").
  Float f(t, x.getType());
  Value a = f.abs(x), s = f.mul(x, x);
  Value small = f.polynomial(s, {-1.0 / 75600, 1.0 / 9360, -1.0 / 1320, 1.0 / 216, -1.0 / 42, 0.1, -1.0 / 3, 1});
  small = f.mul(f.mul(small, x), f.c(1.1283791670955126)); // 2/sqrt(pi)
  Value u = f.div(f.c(1), f.fma(a, f.c(0.5), f.c(1)));
  Value p = f.polynomial(u, {0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418,
                             0.37409196, 1.00002368, -1.26551223});
  Value tail = f.mul(u, expF32(t, f.fma(f.sub(f.c(0), a), a, p)));
  Value large = f.copySign(f.sub(f.c(1), tail), x);
  return f.select(f.is(LLVM::FCmpPredicate::olt, a, 0.75), small, f.select(f.isNan(x), x, large));
}

Value atan2F32(ThreadBuilder &t, Value y, Value x) {
  // Computes the angle within an octant from t = smaller / larger magnitude, with a polynomial around 0 or around 1
  // (Moshier, Cephes, atanf); then adds the octant's angle.
  Float f(t, x.getType());
  constexpr double kPi = 3.14159265358979323846;
  Value ax = f.abs(x), ay = f.abs(y);
  Value steep = t.create<LLVM::FCmpOp>(LLVM::FCmpPredicate::ogt, ay, ax);
  Value large = f.select(steep, ay, ax), small = f.select(steep, ax, ay);
  Value ratio = f.div(small, large);
  Value infinite = f.is(LLVM::FCmpPredicate::oeq, small, kInfinity), origin = f.is(LLVM::FCmpPredicate::oeq, large, 0);
  ratio = f.select(infinite, f.c(1), f.select(origin, f.c(0), ratio));
  Value upper = f.is(LLVM::FCmpPredicate::ogt, ratio, 0.41421356237309503);
  Value r = f.select(upper, f.div(f.sub(ratio, f.c(1)), f.add(ratio, f.c(1))), ratio), z = f.mul(r, r);
  Value p = f.polynomial(z, {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1});
  Value angle = f.add(f.fma(f.mul(p, z), r, r), f.select(upper, f.c(kPi / 4), f.c(0)));
  angle = f.select(steep, f.sub(f.c(kPi / 2), angle), angle);
  Value left = t.compare(LLVM::ICmpPredicate::slt, f.bits(x), f.n(0)); // -0 counts as negative
  angle = f.select(left, f.sub(f.c(kPi), angle), angle);
  Value sum = f.add(x, y);
  Value isNan = t.create<LLVM::FCmpOp>(LLVM::FCmpPredicate::uno, x, y);
  return f.select(isNan, sum, f.copySign(angle, y));
}

} // namespace lanescope::core
