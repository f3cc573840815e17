// Finds the texture or surface that a lane's handle names.
#pragma once

#include "core/gpu/emulator/machine/Texture.h"
#include "core/gpu/emulator/machine/Warp.h"

#include <optional>

namespace lanescope::core::emulator {

/// Returns nothing after setting the fault: the handle is the address of no descriptor, or of one of the other kind.
std::optional<Texture> textureAt(Warp &warp, const Instr &i, uint32_t lane, uint64_t handle, bool surface);

} // namespace lanescope::core::emulator
