// The copies of a block that have not completed. The copy that completes first comes first.
#pragma once

#include "core/gpu/emulator/machine/AsyncOp.h"

#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

class AsyncQueue {
public:
  bool empty() const { return ops_.empty(); }
  uint64_t nextTime() const { return ops_.empty() ? UINT64_MAX : ops_.front().time; }
  void push(AsyncOp op);
  AsyncOp pop();
  const std::vector<AsyncOp> &all() const { return ops_; }
  uint64_t issued() const { return sequence_; }
  uint64_t unitFree = 0; // cycle at which the copy unit can start the next operation

private:
  std::vector<AsyncOp> ops_; // a heap with the earliest operation first
  uint64_t sequence_ = 0;
};

} // namespace lanescope::core::emulator
