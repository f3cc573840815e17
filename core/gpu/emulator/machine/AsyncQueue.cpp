#include "core/gpu/emulator/machine/AsyncQueue.h"

#include <algorithm>

namespace lanescope::core::emulator {

static bool later(const AsyncOp &a, const AsyncOp &b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }

void AsyncQueue::push(AsyncOp op) {
  op.order = sequence_++;
  ops_.push_back(std::move(op));
  std::ranges::push_heap(ops_, later);
}

AsyncOp AsyncQueue::pop() {
  std::ranges::pop_heap(ops_, later);
  AsyncOp op = std::move(ops_.back());
  ops_.pop_back();
  return op;
}

} // namespace lanescope::core::emulator
