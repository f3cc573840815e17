// Rounding modes of instructions, as their modifiers say.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/numbers/ProcessorRounding.h"

namespace lanescope::core::emulator {

/// `.rn`, `.rz`, `.rm` or `.rp`; to nearest where none is written.
inline Rounding takeRounding(Modifiers &mods) {
  std::string_view mode = mods.takeOne({"rn", "rz", "rm", "rp"});
  return mode == "rz"   ? Rounding::Zero
         : mode == "rm" ? Rounding::Down
         : mode == "rp" ? Rounding::Up
                        : Rounding::Nearest;
}

} // namespace lanescope::core::emulator
