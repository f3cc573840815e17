// A cluster: blocks that start together, reach each other's shared memory and share a barrier. A launch without
// clusters has clusters of one block.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

struct Cluster {
  Grid *grid = nullptr;
  std::vector<std::unique_ptr<Block>> blocks; // by rank
  // The barrier of barrier.cluster; each warp keeps its own arrivals.
  bool open = false;        // a thread has arrived in this phase
  uint64_t lastArrival = 0; // cycle
  uint64_t released = 0;    // cycle at which the last phase ended

  /// Sets the state in which cluster `index` (x fastest) starts. `sms` and `starts` have the SM and the first cycle of
  /// each block.
  void begin(Grid &grid, uint64_t index, std::span<const uint32_t> sms, std::span<const uint64_t> starts);
  /// Warp instructions executed so far.
  uint64_t executed() const;
  /// The sum of all blocks' Block::effects.
  uint64_t effects() const;
  /// The sum of all blocks' Block::signals.
  uint64_t signals() const;
  /// Returns the block whose fault ended the run; null if there is none.
  Block *faulted() const;
};

/// Returns the cluster's block with this rank; null if there is none.
inline Block *blockOfRank(const Block &block, uint32_t rank) {
  return rank < block.cluster->blocks.size() ? block.cluster->blocks[rank].get() : nullptr;
}

} // namespace lanescope::core::emulator
