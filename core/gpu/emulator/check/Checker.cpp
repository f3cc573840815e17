#include "core/gpu/emulator/check/Checker.h"

#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

void Checker::begin(const Grid &grid, GlobalShadow &memory, uint32_t cluster, uint32_t blocks, uint32_t warpsPerBlock,
                    uint32_t sharedBytes) {
  order.begin(grid, blocks, warpsPerBlock);
  phases.begin(blocks);
  remote.begin(blocks);
  shared.begin(blocks, sharedBytes);
  global.begin(memory, cluster, blocks);
  registers.begin();
  tensor.begin(blocks);
  maps.begin(memory, cluster);
}

void Checker::allMet(const View &barrier) {
  if (order.oneBlock() && order.covers(barrier) && registers.coveredBy(barrier))
    shared.allOrdered(barrier);
  if (order.oneBlock())
    global.allOrdered(barrier);
}

bool Checker::mbarrierReady(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address) {
  const Use &init = order.mbarrier(rank, address).init;
  const View &view = order.viewOf(warp);
  if (view.seen.covers(init.agent, init.epoch) || view.inits.covers(init.agent, init.epoch))
    return true;
  const Grid &grid = order.grid();
  fault(
      warp, i, "race",
      Message("`{}` uses {barrier}, which {agent} initialises without an order between them", grid.opcodeOf(i),
              describeMbarrier(*warp.block, address), warpName(order, init.agent)),
      lane,
      {Note{grid.spanOf(grid.program->code[init.pc]), text(warpName(order, init.agent), " initialises it here")},
       Note{grid.spanOf(i),
            view.weak.covers(init.agent, init.epoch)
                ? "the missing fence: the cluster barrier between the two is relaxed and publishes the mbarrier only "
                  "after `fence.mbarrier_init.release.cluster` in the thread that initialises it; "
                  "`barrier.cluster.arrive.release` needs none"
            : order.oneBlock() ? "the missing barrier: `bar.sync` after the initialisation"
                               : "the missing barrier: `bar.sync` (for other blocks of the cluster `barrier.cluster`, "
                                 "which `bar.sync` does not replace) after the initialisation"}});
  return false;
}

} // namespace lanescope::core::emulator
