// A run of some of a grid's blocks.
#include "core/gpu/emulator/ChosenBlocks.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// Each block of one thread writes its number plus one into its word.
Kernel numbered(uint32_t blocks, std::array<uint32_t, 3> cluster = {1, 1, 1}) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 1;
  kernel.blocks = blocks;
  kernel.cluster = cluster;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d0, %d0, %d50;\nadd.u32 %r0, %r0, 1;\n"
                "st.global.u32 [%d0], %r0;\nret;";
  return kernel;
}

std::vector<uint32_t> written(const Kernel &kernel, const char *blocks) {
  EmulatorOptions options;
  options.blocks = *parseBlockChoice(blocks);
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(kernel.blocks))}, options);
  EXPECT_TRUE(result) << errorText(result.error());
  if (!result)
    return {};
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  std::vector<uint32_t> out;
  for (uint32_t value : words(result->outputs[0]))
    if (value)
      out.push_back(value - 1);
  return out;
}

TEST(ChosenBlocks, RunAlone) {
  EXPECT_EQ(written(numbered(8), "3"), (std::vector<uint32_t>{3}));
  EXPECT_EQ(written(numbered(8), "0-2,7,1"), (std::vector<uint32_t>{0, 1, 2, 7}));
  EXPECT_EQ(written(numbered(100), "sample:3"), (std::vector<uint32_t>{0, 49, 99}));
  EXPECT_EQ(written(numbered(100), "sample:1"), (std::vector<uint32_t>{0}));
  EXPECT_EQ(written(numbered(4), "sample:9"), (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST(ChosenBlocks, WithTheirClusters) {
  EXPECT_EQ(written(numbered(8, {2, 1, 1}), "5"), (std::vector<uint32_t>{4, 5}));
  EXPECT_EQ(written(numbered(16, {4, 1, 1}), "sample:2"), (std::vector<uint32_t>{0, 1, 2, 3, 12, 13, 14, 15}));
}

TEST(ChosenBlocks, OfAKernelThatCommunicates) {
  Kernel kernel = numbered(64);
  kernel.params = 2;
  kernel.body = "red.global.add.u32 [%d51], 1;\n" + kernel.body;
  EmulatorOptions options;
  for (const char *schedule : {"0", "slow-block-40", "late-signals"}) {
    options.seed = *parseSchedule(schedule);
    options.blocks = *parseBlockChoice("8-11,40");
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(64)), u32Array({0})}, options);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_EQ(words(result->outputs[1])[0], 5u);
  }
}

TEST(ChosenBlocks, AWaitForABlockThatDoesNotRunSaysSo) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 1;
  kernel.blocks = 2;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p1, %r0, 1;\n@%p1 bra RAISE;\n"
                "L: ld.acquire.gpu.global.u32 %r1, [%d50];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra L;\nret;\n"
                "RAISE: st.release.gpu.global.u32 [%d50], 1;\nret;";
  EmulatorOptions options;
  options.blocks = *parseBlockChoice("0");
  auto result = run(kernel, {u32Array({0})}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "only some of the grid's blocks run"));
}

TEST(ChosenBlocks, WhatNamesNone) {
  for (const char *text : {"", ",", "a", "3-", "-3", "5-3", "1,,2", "sample:", "sample:0", "sample:-1", "1 - 2"})
    EXPECT_FALSE(parseBlockChoice(text)) << text;
  EmulatorOptions options;
  options.blocks = *parseBlockChoice("2-8");
  auto result = run(numbered(8), {u32Array(std::vector<uint32_t>(8))}, options);
  ASSERT_FALSE(result);
  EXPECT_TRUE(mentions(result.error(), "there is no block 8: the grid has 8 blocks, numbered from 0"));
}

} // namespace
} // namespace lanescope::core::test
