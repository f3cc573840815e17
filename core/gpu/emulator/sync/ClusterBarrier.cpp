#include "core/gpu/emulator/sync/ClusterBarrier.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/CostModel.h"

namespace lanescope::core::emulator {

void releaseIfComplete(Cluster &cluster) {
  if (!cluster.open)
    return;
  for (const auto &block : cluster.blocks)
    for (const Warp &warp : block->warps)
      if (warp.live & ~warp.clusterArrived)
        return;
  cluster.open = false;
  if (Checker *checks = cluster.blocks[0]->checks)
    checks->order.clusterDone();
  cluster.released = cluster.lastArrival + cost::kBarrier;
  for (const auto &block : cluster.blocks) {
    ++block->effects;
    for (Warp &warp : block->warps) {
      warp.clusterArrived = 0;
      for (Split &split : warp.splits)
        if (split.state == SplitState::AtCluster) {
          split.state = SplitState::Ready;
          warp.runnable = true;
        }
    }
  }
}

} // namespace lanescope::core::emulator
