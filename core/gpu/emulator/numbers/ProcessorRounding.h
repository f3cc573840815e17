// The processor's own rounding mode.
#pragma once

#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <cfenv>
#include <cmath>

namespace lanescope::core::emulator {

/// The processor rounds by `mode` while this lives; volatile values keep the operations inside.
class ProcessorRounding {
public:
  explicit ProcessorRounding(Rounding mode) : before_(std::fegetround()) {
    std::fesetround(mode == Rounding::Zero   ? FE_TOWARDZERO
                    : mode == Rounding::Down ? FE_DOWNWARD
                    : mode == Rounding::Up   ? FE_UPWARD
                                             : FE_TONEAREST);
  }
  ~ProcessorRounding() { std::fesetround(before_); }
  ProcessorRounding(const ProcessorRounding &) = delete;
  ProcessorRounding &operator=(const ProcessorRounding &) = delete;

private:
  int before_;
};

/// a * b + c of a tensor core in that mode; volatile keeps the operation where it is written. Of several NaNs, an H200
/// keeps that of b, else of c, else of a.
inline double fmaInMode(double a, double b, double c) {
  volatile double x = a, y = b, z = c;
  volatile double result = std::fma(x, y, z);
  for (double operand : {b, c, a})
    if (operand != operand)
      return operand + operand;
  return result;
}

} // namespace lanescope::core::emulator
