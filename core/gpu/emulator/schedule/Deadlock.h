// What a cluster says when it cannot go on: who waits where for what.
#pragma once

#include "core/gpu/emulator/schedule/Cluster.h"

namespace lanescope::core::emulator {

/// All live warps wait and nothing is in flight: sets a block's fault, a note per group of waiters.
void reportDeadlock(Cluster &cluster);
/// Where each warp is, for a run that was stopped from outside; without `readyToo`, those that wait.
std::vector<Note> whereWarpsAre(const Block &block, bool readyToo = true);
/// "warps 0-3, 5"
std::string warpList(const std::vector<uint32_t> &warps);
/// Of copies in flight when the block has ended: one that reads its shared memory is a fault (false), one that fills it
/// a warning.
bool reportUnfinished(Block &block);
/// A warp has exited: `bar.sync` without a count waits for fewer threads now.
void barrierAfterExit(Block &block, uint64_t time);
/// "the mbarrier at shared address 33792 (…)", with what the snippet calls it where our compiler says so.
std::string describeMbarrier(const Block &block, uint32_t address);
/// Whether our compiler made that mbarrier for warpgroups and copies, each of which counts 128.
bool countsWarpgroups(const Block &block, const Mbarrier &barrier);
/// The warp keeps `count` registers a thread and gives the others to its block.
void giveRegisters(Warp &warp, uint32_t count);
/// "shared address 33792 (byte 32768 of the dynamic shared memory)"
std::string describeShared(const Block &block, uint32_t address);

} // namespace lanescope::core::emulator
