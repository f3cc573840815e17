// What a cluster says when it cannot go on: who waits where for what.
#pragma once

#include "core/gpu/emulator/machine/Cluster.h"

#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// All live warps wait and nothing is in flight: sets a block's fault, a note per group of waiters.
void reportDeadlock(Cluster &cluster);
/// What a warp's split waits for at an instruction: "barrier 1: 96 of 128 threads have arrived"; empty: nothing.
std::string awaited(const Block &block, uint32_t warp, const Instr &instr, SplitState state, uint32_t waitFor);
/// Where each warp is, for a run that was stopped from outside; without `readyToo`, those that wait.
std::vector<Note> whereWarpsAre(const Block &block, bool readyToo = true);

} // namespace lanescope::core::emulator
