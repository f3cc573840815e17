#include "core/gpu/emulator/sync/Wake.h"

#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/record/FlightRecorder.h"

#include <algorithm>

namespace lanescope::core::emulator {

void wakeMbarrierWaiters(Block &block, uint32_t address, uint64_t time) {
  ++block.effects;
  for (Warp &warp : block.warps)
    for (Split &split : warp.splits)
      if (split.state == SplitState::AtMbarrier && split.waitFor == address) {
        split.state = SplitState::Ready;
        if (block.grid->flights)
          block.grid->flights->woken(warp, split, FlightRecorder::Wait::Mbarrier, time + cost::kWake);
        warp.time = std::max(warp.time, time + cost::kWake);
        warp.runnable = true;
      }
}

void wakeGroupWaiters(Warp &warp, uint64_t time) {
  ++warp.block->effects;
  for (Split &split : warp.splits)
    if (split.state == SplitState::AtGroup) {
      split.state = SplitState::Ready;
      if (FlightRecorder *flights = warp.block->grid->flights)
        flights->woken(warp, split,
                       split.waitFor >= kWgmmaWait ? FlightRecorder::Wait::Wgmma : FlightRecorder::Wait::Group,
                       time + cost::kWake);
      warp.time = std::max(warp.time, time + cost::kWake);
      warp.runnable = true;
    }
}

} // namespace lanescope::core::emulator
