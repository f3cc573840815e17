// The kinds of copies in flight, and the queue from which they complete.
#include "core/gpu/emulator/machine/AsyncQueue.h"

#include <gtest/gtest.h>

namespace lanescope::core::emulator {
namespace {

template <class What> AsyncOp opOf(What what) {
  AsyncOp op;
  op.what = std::move(what);
  return op;
}

TEST(AsyncOp, WhatFillsSharedMemoryOfOthersSignals) {
  auto signals = [](auto what) {
    what.signal = {3, 1024, 0};
    AsyncOp op = opOf(what);
    const Signal *signal = signalOf(op);
    return signal && signal->rank == 3 && signal->mbarrier == 1024 && !isStore(op);
  };
  EXPECT_TRUE(signals(BulkLoad{}));
  EXPECT_TRUE(signals(TensorLoad{}));
  EXPECT_TRUE(signals(SharedCopy{}));
  EXPECT_TRUE(signals(RemoteStore{}));
  EXPECT_TRUE(signals(CpArrive{}));
  EXPECT_EQ(signalOf(opOf(CpAsync{})), nullptr);
  EXPECT_EQ(signalOf(opOf(BulkStore{})), nullptr);
  EXPECT_EQ(signalOf(opOf(TensorStore{})), nullptr);
}

TEST(AsyncOp, StoresHaveTwoSteps) {
  for (AsyncOp op : {opOf(BulkStore{}), opOf(TensorStore{})}) {
    ASSERT_TRUE(isStore(op));
    storeOf(op)->sourceRead = true;
    AsyncOp copy = op;
    EXPECT_TRUE(storeOf(copy)->sourceRead);
  }
  EXPECT_FALSE(isStore(opOf(CpAsync{})));
}

TEST(AsyncQueue, TheEarliestComesFirstAndTiesInTheOrderOfIssue) {
  AsyncQueue queue;
  EXPECT_EQ(queue.nextTime(), UINT64_MAX);
  for (uint32_t n = 0; n < 6; ++n) {
    AsyncOp op;
    op.time = n % 2 ? 10 : 20;
    op.lane = n;
    queue.push(std::move(op));
  }
  EXPECT_EQ(queue.nextTime(), 10u);
  std::vector<uint32_t> lanes;
  while (!queue.empty())
    lanes.push_back(queue.pop().lane);
  EXPECT_EQ(lanes, (std::vector<uint32_t>{1, 3, 5, 0, 2, 4}));
  EXPECT_EQ(queue.issued(), 6u);
}

} // namespace
} // namespace lanescope::core::emulator
