// The blocks of a cluster: they start together, run side by side, reach each other's shared memory and share a barrier.
// A launch without clusters has clusters of one block.
//
//   Cluster cluster;
//   cluster.begin(grid, index, sms, starts);     // index counts clusters, x fastest
//   while (cluster.run(budget) == RunState::Running) …
//
// Scheduling goes by time: the block whose next event is the earliest runs until the second's. What a block does to
// another (an arrival, a copy, a store) is seen there at the other's time or later.
#pragma once

#include "core/gpu/emulator/machine/Machine.h"

#include <memory>
#include <span>

namespace lanescope::core::emulator {

inline constexpr uint32_t kMaxClusterSize = 16; // 8 are portable; sm_90 goes to 16

class GlobalShadow;

struct Cluster {
  Grid *grid = nullptr;
  std::vector<std::unique_ptr<Block>> blocks; // by rank
  // The barrier of barrier.cluster: arrivals are in the warps.
  bool open = false;        // somebody has arrived in this phase
  uint64_t lastArrival = 0; // cycle
  uint64_t released = 0;    // cycle at which the last phase ended
  const Instr *firstArrival = nullptr;

  /// `sms`, `starts`: SM and first cycle per block.
  /// `shadow`: of global memory, for the checker; may be null.
  void begin(Grid &grid, uint64_t index, std::span<const uint32_t> sms, std::span<const uint64_t> starts,
             GlobalShadow *shadow = nullptr);
  /// `single`: an instruction of one warp at a time.
  RunState run(uint64_t budget, bool single = false);
  uint64_t executed() const;
  /// Block::effects of all blocks.
  uint64_t effects() const;
  /// Waits with a time limit answer "not yet"; false when there is none.
  bool answerTimedWaits();
  /// The fault that ended the run; null when there is none.
  Block *faulted() const;
  /// Ends the barrier's phase when all threads that have not exited have arrived.
  void releaseIfComplete();

private:
  bool releaseTimedWaits();

  uint64_t effectsSeen_ = 0;
  uint32_t idleRounds_ = 0;
  std::vector<bool> finished_;
};

} // namespace lanescope::core::emulator
