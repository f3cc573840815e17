// f32 and f64 arithmetic in the rounding mode that an instruction names.
//
//   RoundedArithmetic in(Rounding::Down);
//   in.add(1.0f, 0x1p-30f)          // 1.0f
//   in.fma(0.1, 0.1, -0.01)         // rounded once, towards minus infinity
//
// A processor's own modes are used where it has them. WebAssembly rounds to nearest alone, so there the other modes are
// computed exactly (ExactRounding.h), with the same bits.
#pragma once

#include "core/gpu/emulator/numbers/ExactRounding.h"

#include <cmath>

#ifndef __wasi__
#include <cfenv>
#endif

namespace lanescope::core::emulator {

#ifdef __wasi__

class RoundedArithmetic : public ExactArithmetic {
public:
  using ExactArithmetic::ExactArithmetic;
};

#else

/// Sets the processor's rounding mode during the lifetime of this object. Volatile values keep operations inside that
/// scope.
class RoundedArithmetic {
public:
  explicit RoundedArithmetic(Rounding mode) : before_(std::fegetround()) {
    std::fesetround(mode == Rounding::Zero   ? FE_TOWARDZERO
                    : mode == Rounding::Down ? FE_DOWNWARD
                    : mode == Rounding::Up   ? FE_UPWARD
                                             : FE_TONEAREST);
  }
  ~RoundedArithmetic() { std::fesetround(before_); }
  RoundedArithmetic(const RoundedArithmetic &) = delete;
  RoundedArithmetic &operator=(const RoundedArithmetic &) = delete;

  template <class T> T add(T a, T b) const {
    volatile T x = a, y = b, out = x + y;
    return out;
  }
  template <class T> T subtract(T a, T b) const {
    volatile T x = a, y = b, out = x - y;
    return out;
  }
  template <class T> T multiply(T a, T b) const {
    volatile T x = a, y = b, out = x * y;
    return out;
  }
  template <class T> T divide(T a, T b) const {
    volatile T x = a, y = b, out = x / y;
    return out;
  }
  template <class T> T squareRoot(T a) const {
    volatile T x = a, out = std::sqrt(x);
    return out;
  }
  template <class T> T fma(T a, T b, T c) const {
    volatile T x = a, y = b, z = c, out = std::fma(x, y, z);
    return out;
  }

private:
  int before_;
};

#endif

/// A tensor core's a * b + c. If there are several NaNs, an H200 returns that of b, else that of c, else that of a.
inline double tensorFma(const RoundedArithmetic &in, double a, double b, double c) {
  for (double operand : {b, c, a})
    if (operand != operand)
      return operand + operand;
  return in.fma(a, b, c);
}

} // namespace lanescope::core::emulator
