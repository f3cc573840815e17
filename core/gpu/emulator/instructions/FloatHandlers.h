// Handlers that other families also use.
#pragma once

#include "core/gpu/emulator/machine/Program.h"

namespace lanescope::core::emulator {

/// The handler of `mul.f32`, `mul.ftz.f32`.
Handler productF32(bool ftz);

} // namespace lanescope::core::emulator
