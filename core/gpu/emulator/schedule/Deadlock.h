// What a cluster says when it cannot go on: who waits where for what.
#pragma once

#include "core/gpu/emulator/machine/Cluster.h"

#include <vector>

namespace lanescope::core::emulator {

/// All live warps wait and nothing is in flight: sets a block's fault, a note per group of waiters.
void reportDeadlock(Cluster &cluster);
/// Where each warp is, for a run that was stopped from outside; without `readyToo`, those that wait.
std::vector<Note> whereWarpsAre(const Block &block, bool readyToo = true);

} // namespace lanescope::core::emulator
