#include "core/data/Progress.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lanescope::core {
namespace {

TEST(Progress, SaysTheStepsThatAreUnderWay) {
  Progress progress;
  EXPECT_EQ(progress.line(), "");
  ProgressStep kernels(&progress, "kernel", 40);
  EXPECT_EQ(progress.line(), "0 of 40 kernels");
  kernels.name("matmul.ptx");
  kernels.advance(2);
  {
    ProgressStep schedules(&progress, "schedule");
    schedules.advance();
    ProgressStep blocks(&progress, "block", 1);
    EXPECT_EQ(progress.line(), "2 of 40 kernels (matmul.ptx), 1 schedule, 0 of 1 block");
  }
  EXPECT_EQ(progress.line(), "2 of 40 kernels (matmul.ptx)");
}

TEST(Progress, AStepMayHaveANameAlone) {
  Progress progress;
  ProgressStep compiling(&progress);
  EXPECT_EQ(progress.line(), "");
  compiling.name("compiling `k`");
  ProgressStep blocks(&progress, "block", 2);
  EXPECT_EQ(progress.line(), "compiling `k`, 0 of 2 blocks");
}

TEST(Progress, NoProgressCountsNothing) {
  ProgressStep step(nullptr, "block", 3);
  step.advance();
  step.name("k");
}

TEST(Progress, ThreadsCountTogetherWhileAnotherReads) {
  Progress progress;
  ProgressStep blocks(&progress, "block", 4000);
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k)
        blocks.advance();
    });
  for (int n = 0; n < 100; ++n)
    EXPECT_NE(progress.line().find(" of 4000 blocks"), std::string::npos);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(progress.line(), "4000 of 4000 blocks");
}

} // namespace
} // namespace lanescope::core
