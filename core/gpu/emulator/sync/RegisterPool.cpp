#include "core/gpu/emulator/sync/RegisterPool.h"

#include <algorithm>

namespace lanescope::core::emulator {

void giveRegisters(Warp &warp, uint32_t count) {
  Block &block = *warp.block;
  block.freeRegisters += warp.ownRegisters - count;
  warp.ownRegisters = count;
  ++block.effects;
  for (Warp &other : block.warps)
    for (Split &split : other.splits)
      if (split.state == SplitState::AtRegisters) { // asks again
        split.state = SplitState::Ready;
        other.time = std::max(other.time, warp.time);
        other.runnable = true;
      }
}

} // namespace lanescope::core::emulator
