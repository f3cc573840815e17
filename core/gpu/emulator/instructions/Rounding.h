// Rounding modes of instructions, as their modifiers say.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/numbers/ProcessorRounding.h"

namespace lanescope::core::emulator {

/// Of "rn", "rz", "rm", "rp"; to nearest where none is written.
inline Rounding roundingNamed(std::string_view mode) {
  return mode == "rz"   ? Rounding::Zero
         : mode == "rm" ? Rounding::Down
         : mode == "rp" ? Rounding::Up
                        : Rounding::Nearest;
}

/// `.rn`, `.rz`, `.rm` or `.rp`; to nearest where none is written.
inline Rounding takeRounding(Modifiers &mods) { return roundingNamed(mods.takeOne({"rn", "rz", "rm", "rp"})); }

} // namespace lanescope::core::emulator
