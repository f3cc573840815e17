// Reports a cluster that cannot go on: which warps wait, where they wait, and what they wait for.
#pragma once

#include "core/gpu/emulator/machine/Cluster.h"

#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// All live warps wait and nothing is in flight. Sets a block's fault, with a note per group of waiting warps.
void reportDeadlock(Cluster &cluster);
/// Describes what a warp's split waits for at an instruction: "barrier 1: 96 of 128 threads have arrived". Empty if the
/// split does not wait.
std::string awaited(const Block &block, uint32_t warp, const Instr &instr, SplitState state, uint32_t waitFor);
/// Notes where each warp is, for a run that was stopped from outside. `readyToo`: includes warps that do not wait.
std::vector<Note> whereWarpsAre(const Block &block, bool readyToo = true);

} // namespace lanescope::core::emulator
