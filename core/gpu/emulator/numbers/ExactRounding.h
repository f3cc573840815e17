// IEEE 754 arithmetic of f32 and f64 in every rounding mode, computed with integers. For a host without rounding modes.
//
//   ExactArithmetic in(Rounding::Up);
//   in.multiply(0.1, 0.1)    // the least double that is not below the product
//
// An operation computes its exact result, or so many bits of it that one more bit can stand for the rest, and rounds
// once. The host itself rounds to nearest. Operands that are infinite or no numbers have results that need no rounding,
// so the host computes these.
#pragma once

#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <cmath>
#include <cstdint>

namespace lanescope::core::emulator {

class ExactArithmetic {
public:
  /// `mode`: Nearest, Zero, Down or Up.
  explicit ExactArithmetic(Rounding mode) : mode_(mode) {}

  template <class T> T add(T a, T b) const { return sum(a, T(1), b, a + b); }
  template <class T> T subtract(T a, T b) const { return sum(a, T(1), -b, a - b); }
  template <class T> T fma(T a, T b, T c) const { return sum(a, b, c, std::fma(a, b, c)); }
  template <class T> T multiply(T a, T b) const;
  template <class T> T divide(T a, T b) const;
  template <class T> T squareRoot(T a) const;

private:
  /// `nearest`: the result that is rounded to nearest.
  template <class T> T sum(T a, T b, T c, T nearest) const;

  Rounding mode_;
};

extern template float ExactArithmetic::sum(float, float, float, float) const;
extern template double ExactArithmetic::sum(double, double, double, double) const;
extern template float ExactArithmetic::multiply(float, float) const;
extern template double ExactArithmetic::multiply(double, double) const;
extern template float ExactArithmetic::divide(float, float) const;
extern template double ExactArithmetic::divide(double, double) const;
extern template float ExactArithmetic::squareRoot(float) const;
extern template double ExactArithmetic::squareRoot(double) const;

} // namespace lanescope::core::emulator
