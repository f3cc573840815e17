#include "core/gpu/emulator/sync/Mbarriers.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/sync/Wake.h"

#include <cstring>

namespace lanescope::core::emulator {

namespace {

/// A value that no kernel writes by accident. Each state of the mbarrier has a different value.
uint64_t imageOf(const Mbarrier &barrier) {
  uint64_t x = barrier.phase << 40 ^ static_cast<uint64_t>(barrier.pending) << 20 ^ barrier.expected ^
               static_cast<uint64_t>(barrier.tx) << 8;
  x = (x ^ 0x6D62617272696572ull) * 0x9E3779B97F4A7C15ull;
  return x | 1;
}

} // namespace

void storeImage(Block &block, Mbarrier &barrier) {
  barrier.image = imageOf(barrier);
  std::memcpy(block.shared.data() + (barrier.address - kSharedBase), &barrier.image, 8);
}

Mbarrier *findMbarrier(Block &block, uint32_t address, MbarrierProblem &problem) {
  Mbarrier *barrier = block.mbarriers.find(address);
  if (!barrier) {
    problem = MbarrierProblem::NotInitialised;
    return nullptr;
  }
  uint64_t image = 0;
  std::memcpy(&image, block.shared.data() + (address - kSharedBase), 8);
  if (image != barrier->image) {
    problem = MbarrierProblem::Overwritten;
    return nullptr;
  }
  problem = MbarrierProblem::None;
  return barrier;
}

MbarrierProblem updateMbarrier(Block &block, Mbarrier &barrier, uint32_t arrivals, int64_t bytes, uint64_t time) {
  barrier.tx += bytes;
  if (barrier.tx > kMaxTx || barrier.tx < -kMaxTx)
    return MbarrierProblem::TxRange;
  if (arrivals > barrier.pending)
    return MbarrierProblem::TooManyArrivals;
  barrier.pending -= arrivals;
  bool completed = barrier.pending == 0 && barrier.tx == 0;
  if (completed) {
    ++barrier.phase;
    barrier.pending = barrier.expected;
    if (block.checks) {
      block.checks->phases.completed(block, barrier);
      block.checks->order.mbarrierPhase(block.clusterRank, barrier.address, barrier.phase);
    }
  }
  storeImage(block, barrier);
  ++block.effects;
  if (completed)
    wakeMbarrierWaiters(block, barrier.address, time);
  return MbarrierProblem::None;
}

} // namespace lanescope::core::emulator
