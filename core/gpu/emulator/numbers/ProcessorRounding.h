// Sets the rounding mode of the processor.
#pragma once

#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <cfenv>
#include <cmath>

namespace lanescope::core::emulator {

/// Sets the processor's rounding mode during the lifetime of this object. Volatile values keep operations inside that
/// scope.
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

/// A tensor core's a * b + c in the current rounding mode. Volatile values keep the operation at its place. If there
/// are several NaNs, an H200 returns that of b, else that of c, else that of a.
inline double fmaInMode(double a, double b, double c) {
  volatile double x = a, y = b, z = c;
  volatile double result = std::fma(x, y, z);
  for (double operand : {b, c, a})
    if (operand != operand)
      return operand + operand;
  return result;
}

} // namespace lanescope::core::emulator
