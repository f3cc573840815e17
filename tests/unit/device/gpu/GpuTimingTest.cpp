// timeLaunches on a fake driver: the calls it makes, and the times it returns.
#include "core/gpu/runtime/GpuTiming.h"

#include <gtest/gtest.h>

#include <deque>

namespace lanescope::core {
namespace {

/// The driver's state. Function pointers have no other place for it.
struct Fake {
  std::deque<float> milliseconds; // the results of successive measurements
  int captured = 0, graphLaunches = 0, destroyed = 0;
  bool capturing = false;
  cuda::Status instantiate = cuda::kSuccess;
} fake;

cuda::Api fakeDriver(bool graphs) {
  fake = {};
  cuda::Api api{};
  api.getErrorName = [](cuda::Status, const char **name) { return *name = "CUDA_ERROR_TEST", cuda::kSuccess; };
  api.getErrorString = [](cuda::Status, const char **words) { return *words = "made up", cuda::kSuccess; };
  api.eventCreate = [](cuda::Event *event, unsigned) {
    *event = reinterpret_cast<cuda::Event>(&fake);
    return cuda::kSuccess;
  };
  api.eventDestroy = [](cuda::Event) { return ++fake.destroyed, cuda::kSuccess; };
  api.eventRecord = [](cuda::Event, cuda::Stream) { return cuda::kSuccess; };
  api.eventElapsedTime = [](float *time, cuda::Event, cuda::Event) {
    *time = fake.milliseconds.front();
    fake.milliseconds.pop_front();
    return cuda::kSuccess;
  };
  if (!graphs)
    return api;
  api.streamBeginCapture = [](cuda::Stream, int) { return fake.capturing = true, cuda::kSuccess; };
  api.streamEndCapture = [](cuda::Stream, cuda::Graph *graph) {
    fake.capturing = false;
    *graph = reinterpret_cast<cuda::Graph>(&fake);
    return cuda::kSuccess;
  };
  api.graphInstantiate = [](cuda::GraphExec *runnable, cuda::Graph, unsigned long long) {
    if (!fake.instantiate)
      *runnable = reinterpret_cast<cuda::GraphExec>(&fake);
    return fake.instantiate;
  };
  api.graphLaunch = [](cuda::GraphExec, cuda::Stream) { return ++fake.graphLaunches, cuda::kSuccess; };
  api.graphExecDestroy = [](cuda::GraphExec) { return ++fake.destroyed, cuda::kSuccess; };
  api.graphDestroy = [](cuda::Graph) { return ++fake.destroyed, cuda::kSuccess; };
  return api;
}

struct Counted {
  int launches = 0, waits = 0;
  TimedLaunches timed(double firstUs, uint32_t samples) {
    return {.launch = [this]() -> Result<void> {
              fake.captured += fake.capturing;
              ++launches;
              return {};
            },
            .await = [this]() -> Result<void> {
              ++waits;
              return {};
            },
            .firstUs = firstUs,
            .samples = samples};
  }
};

TEST(GpuTiming, AGraphOfAMillisecondAndTheMedianOfItsSamples) {
  cuda::Api api = fakeDriver(true);
  fake.milliseconds = {9.0F, 1.5F, 1.0F, 2.0F}; // the first one warms up
  Counted counted;
  auto time = timeLaunches(api, nullptr, counted.timed(50, 3));
  ASSERT_TRUE(time);
  EXPECT_NEAR(*time, 1500.0 / 20, 1e-6); // 20 launches of 50 µs are a millisecond
  EXPECT_EQ(counted.launches, 20);
  EXPECT_EQ(fake.captured, 20);
  EXPECT_EQ(fake.graphLaunches, 4);
  EXPECT_EQ(counted.waits, 4);
  EXPECT_EQ(fake.destroyed, 4) << "two events, the graph, what runs it";
}

TEST(GpuTiming, LongKernelsAreTimedOneByOneAndShortOnesByTheDozen) {
  cuda::Api api = fakeDriver(true);
  fake.milliseconds = {5.0F, 5.0F};
  Counted one;
  ASSERT_TRUE(timeLaunches(api, nullptr, one.timed(5000, 1)));
  EXPECT_EQ(one.launches, 1);
  fake.milliseconds = {1.0F, 1.0F};
  Counted many;
  ASSERT_TRUE(timeLaunches(api, nullptr, many.timed(0.1, 1)));
  EXPECT_EQ(many.launches, 64);
}

TEST(GpuTiming, WithoutGraphsLaunchesAreQueued) {
  cuda::Api api = fakeDriver(false);
  fake.milliseconds = {1.0F, 1.0F, 3.0F, 2.0F};
  Counted counted;
  auto time = timeLaunches(api, nullptr, counted.timed(500, 3));
  ASSERT_TRUE(time);
  EXPECT_NEAR(*time, 1000, 1e-6);
  EXPECT_EQ(counted.launches, 8);
  EXPECT_EQ(fake.captured, 0);
}

TEST(GpuTiming, WhatFailsIsToldAndLeavesTheStreamUsable) {
  cuda::Api api = fakeDriver(true);
  Counted counted;
  TimedLaunches refused = counted.timed(100, 1);
  refused.launch = []() -> Result<void> { return error("launch", "refused"); };
  auto time = timeLaunches(api, nullptr, refused);
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().front().message, "refused");
  EXPECT_FALSE(fake.capturing);
  fake.instantiate = 1;
  time = timeLaunches(api, nullptr, counted.timed(100, 1));
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().front().kind, "gpu");
  EXPECT_EQ(time.error().front().message, "cannot prepare a graph of launches: CUDA_ERROR_TEST (1): made up");
}

} // namespace
} // namespace lanescope::core
