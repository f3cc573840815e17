// A fence by which a warp publishes descriptors of TMA copies. It publishes those that were written before the fence
// (TensorMapUses.h).
#pragma once

#include "core/gpu/emulator/check/Clocks.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// The threads that a fence reaches, from the narrowest scope to the widest. `.sys` counts as Gpu here.
enum class FenceScope : uint8_t { Block, Cluster, Gpu };

struct MapRelease {
  uint32_t cluster = 0;
  uint32_t stamp = 0; // as for GlobalUse::stamp
  Agent agent = 0;
  Epoch epoch = 0;
  FenceScope scope = FenceScope::Block;
  Clock seen, foreign; // clocks of the fence's warp
};

} // namespace lanescope::core::emulator
