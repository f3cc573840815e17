// The processor's own rounding mode.
#pragma once

#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <cfenv>

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

} // namespace lanescope::core::emulator
