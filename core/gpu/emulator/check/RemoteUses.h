// Checks uses of the shared memory of other blocks in the cluster. A block's shared memory is gone when the block's
// last thread has ended. So each use must be ordered before the end of at least one of the block's threads:
//
//   A: ld.shared::cluster.b32 r, [of B];  B: exit;     // B may end before A loads
#pragma once

#include "core/gpu/emulator/check/Ordering.h"
#include "core/gpu/emulator/check/Shadow.h"

#include <vector>

namespace lanescope::core::emulator {

class RemoteUses {
public:
  explicit RemoteUses(Ordering &order) : order_(order) {}
  void begin(uint32_t blocks) { uses_.assign(blocks, {}); }

  /// Records a use of the shared memory of block `rank` by another block.
  void add(uint32_t rank, const Use &use);
  void add(uint32_t rank, const Warp &warp, const Instr &i) { add(rank, order_.useOf(warp, i)); }
  /// The last warp of a block ends at instruction `i`. Returns false after a fault.
  bool ended(Warp &warp, const Instr &i);
  size_t memoryBytes() const;

private:
  Ordering &order_;
  std::vector<std::vector<Use>> uses_; // per block, the last use by each agent
};

} // namespace lanescope::core::emulator
