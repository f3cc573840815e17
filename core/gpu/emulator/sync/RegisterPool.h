// The registers of a block that `setmaxnreg` moves between its warps.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// The warp keeps `count` registers a thread and gives the others to its block.
void giveRegisters(Warp &warp, uint32_t count);

} // namespace lanescope::core::emulator
