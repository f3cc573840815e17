// Who uses the shared memory of other blocks of the cluster: a block's is gone when its last thread has ended, so each
// use has to be ordered before the end of one of its threads.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"
#include "core/gpu/emulator/check/Shadow.h"

#include <vector>

namespace lanescope::core::emulator {

class RemoteUses {
public:
  explicit RemoteUses(Ordering &order) : order_(order) {}
  void begin(uint32_t blocks) { uses_.assign(blocks, {}); }

  /// A use of the shared memory of block `rank`, which is another one's.
  void add(uint32_t rank, const Use &use);
  void add(uint32_t rank, const Warp &warp, const Instr &i) { add(rank, order_.useOf(warp, i)); }
  /// The last warp of a block ends with `i`; false after a fault.
  bool ended(Warp &warp, const Instr &i);
  size_t memoryBytes() const;

private:
  Ordering &order_;
  std::vector<std::vector<Use>> uses_; // of each block's memory, the last one of each agent
};

} // namespace lanescope::core::emulator
