// The rounding modes that modifiers of instructions name.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/numbers/RoundedArithmetic.h"

namespace lanescope::core::emulator {

/// The mode with the name "rn", "rz", "rm" or "rp". To nearest if the name is empty.
inline Rounding roundingNamed(std::string_view mode) {
  return mode == "rz"   ? Rounding::Zero
         : mode == "rm" ? Rounding::Down
         : mode == "rp" ? Rounding::Up
                        : Rounding::Nearest;
}

/// Takes `.rn`, `.rz`, `.rm` or `.rp`. To nearest if none of them is present.
inline Rounding takeRounding(Modifiers &mods) { return roundingNamed(mods.takeOne({"rn", "rz", "rm", "rp"})); }

} // namespace lanescope::core::emulator
