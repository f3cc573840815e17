// The rounding modes that instructions' modifiers name.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/numbers/ProcessorRounding.h"

namespace lanescope::core::emulator {

/// The mode named "rn", "rz", "rm" or "rp"; to nearest for an empty name.
inline Rounding roundingNamed(std::string_view mode) {
  return mode == "rz"   ? Rounding::Zero
         : mode == "rm" ? Rounding::Down
         : mode == "rp" ? Rounding::Up
                        : Rounding::Nearest;
}

/// Takes `.rn`, `.rz`, `.rm` or `.rp`; to nearest if none is present.
inline Rounding takeRounding(Modifiers &mods) { return roundingNamed(mods.takeOne({"rn", "rz", "rm", "rp"})); }

} // namespace lanescope::core::emulator
