// A fence by which a warp publishes the descriptors of TMA copies that were written before it (TensorMapUses.h).
#pragma once

#include "core/gpu/emulator/check/Clocks.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// The threads that a fence reaches, the narrowest scope first. `.sys` counts as Gpu here.
enum class FenceScope : uint8_t { Block, Cluster, Gpu };

struct MapRelease {
  uint32_t cluster = 0;
  uint32_t stamp = 0; // as GlobalUse::stamp
  Agent agent = 0;
  Epoch epoch = 0;
  FenceScope scope = FenceScope::Block;
  Clock seen, foreign; // of its warp
};

} // namespace lanescope::core::emulator
