#include "repl/check/Shrink.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace lanescope;
using repl::shrink;
using repl::Shrunk;

namespace {

core::Launch launchOf(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> cluster = {1, 1, 1}) {
  core::Launch launch;
  launch.grid = grid;
  launch.cluster = cluster;
  return launch;
}

bool covers(const core::BlockChoice &choice, uint64_t block) {
  return choice.isAll() || std::ranges::any_of(choice.ranges, [&](const auto &range) {
           return range.first <= block && block <= range.second;
         });
}

constexpr double kSeconds = 60;

} // namespace

TEST(Shrink, FindsTheSmallestSizes) {
  Shrunk shrunk = shrink(launchOf({1000, 30, 2}), kSeconds, [](const core::Launch &launch, const core::BlockChoice &) {
    return launch.grid[0] >= 37 && launch.grid[1] >= 3;
  });
  EXPECT_EQ(shrunk.grid, (std::array<uint32_t, 3>{37, 3, 1}));
  EXPECT_FALSE(shrunk.endedEarly);
}

TEST(Shrink, KeepsClustersWhole) {
  Shrunk shrunk =
      shrink(launchOf({64, 1, 1}, {4, 1, 1}), kSeconds, [](const core::Launch &launch, const core::BlockChoice &) {
        EXPECT_EQ(launch.grid[0] % 4, 0u);
        return launch.grid[0] >= 10;
      });
  EXPECT_EQ(shrunk.grid, (std::array<uint32_t, 3>{12, 1, 1}));
}

TEST(Shrink, FindsOneBlock) {
  Shrunk shrunk =
      shrink(launchOf({4096, 1, 1}), kSeconds, [](const core::Launch &launch, const core::BlockChoice &blocks) {
        return launch.grid[0] == 4096 && covers(blocks, 4095);
      });
  EXPECT_EQ(shrunk.grid[0], 4096u);
  ASSERT_EQ(shrunk.blocks.ranges.size(), 1u);
  EXPECT_EQ(shrunk.blocks.ranges[0], (std::pair<uint64_t, uint64_t>{4095, 4095}));
  EXPECT_LT(shrunk.runs, 60u);
}

TEST(Shrink, FindsTwoBlocksThatRace) {
  Shrunk shrunk =
      shrink(launchOf({100, 1, 1}), kSeconds, [](const core::Launch &launch, const core::BlockChoice &blocks) {
        return launch.grid[0] == 100 && covers(blocks, 3) && covers(blocks, 97);
      });
  ASSERT_EQ(shrunk.blocks.ranges.size(), 2u);
  EXPECT_EQ(shrunk.blocks.ranges[0].first, 3u);
  EXPECT_EQ(shrunk.blocks.ranges[1].first, 97u);
}

TEST(Shrink, SaysWhenNothingSmallerShowsIt) {
  Shrunk shrunk =
      shrink(launchOf({8, 1, 1}), kSeconds, [](const core::Launch &launch, const core::BlockChoice &blocks) {
        return launch.grid[0] == 8 && blocks.isAll();
      });
  EXPECT_EQ(shrunk.grid[0], 8u);
  EXPECT_TRUE(shrunk.blocks.isAll());
}

TEST(Shrink, EndsWhenTimeIsUp) {
  Shrunk shrunk = shrink(launchOf({8, 1, 1}), 0, [](const core::Launch &, const core::BlockChoice &) { return true; });
  EXPECT_TRUE(shrunk.endedEarly);
  EXPECT_EQ(shrunk.runs, 0u);
  EXPECT_EQ(shrunk.grid[0], 8u);
}
