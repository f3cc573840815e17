#include "core/gpu/emulator/check/RemoteUses.h"

#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

void RemoteUses::add(uint32_t rank, const Use &use) {
  std::vector<Use> &uses = uses_[rank];
  auto same = std::ranges::find(uses, use.agent, &Use::agent);
  if (same == uses.end())
    uses.push_back(use);
  else if (same->epoch <= use.epoch)
    *same = use;
}

bool RemoteUses::ended(Warp &warp, const Instr &i) {
  uint32_t rank = warp.block->clusterRank;
  const Grid &grid = order_.grid();
  for (const Use &use : uses_[rank]) {
    // A relaxed barrier, or an arrival of the scope `.cta`, also shows that the use is over. JAX's kernels end with
    // these.
    const View &end = order_.endedOf(rank);
    if (end.seen.covers(use.agent, use.epoch) ||
        (end.weak.covers(use.agent, use.epoch) && !order_.isStrict(StrictForm::RelaxedEnd)))
      continue;
    const Instr &there = grid.program->code[use.pc];
    fault(warp, i, "early-end",
          order_.kindOf(use.agent) == AsyncUnit::Warp
              ? Message("{} may end before {agent} is done with its shared memory", warp.block->name(),
                        warpName(order_, use.agent))
              : Message("{} may end while a copy of another block fills its shared memory", warp.block->name()),
          kNone,
          {Note{grid.spanOf(there), text("`", grid.opcodeOf(there), "`, issued here, uses it")},
           Note{grid.spanOf(i), "the missing wait before the end: `barrier.cluster.arrive` and `barrier.cluster.wait` "
                                "of all blocks, or a wait for an mbarrier at which the other block arrives"}});
    return false;
  }
  return true;
}

size_t RemoteUses::memoryBytes() const {
  size_t count = 0;
  for (const std::vector<Use> &uses : uses_)
    count += uses.size();
  return count * sizeof(Use);
}

} // namespace lanescope::core::emulator
