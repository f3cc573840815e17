// Rounding modes of instructions: what their modifiers say, and the processor's own set to the same.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <cfenv>

namespace lanescope::core::emulator {

/// `.rn`, `.rz`, `.rm` or `.rp`; to nearest where none is written.
inline Rounding takeRounding(Modifiers &mods) {
  std::string_view mode = mods.takeOne({"rn", "rz", "rm", "rp"});
  return mode == "rz"   ? Rounding::Zero
         : mode == "rm" ? Rounding::Down
         : mode == "rp" ? Rounding::Up
                        : Rounding::Nearest;
}

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
