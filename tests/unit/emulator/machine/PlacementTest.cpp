// How many blocks share a multiprocessor, when they start, and which resources they share.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

using namespace emulator;

constexpr uint32_t kSms = 132;

uint32_t residentOf(const Kernel &kernel) {
  std::vector<Array> arrays{u32Array({0}), u32Array({0})};
  auto prepared = PreparedRun::of(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), {});
  EXPECT_TRUE(prepared) << errorText(prepared.error());
  return prepared ? (*prepared)->grid.residentBlocks : 0;
}

uint64_t cyclesOf(const Kernel &kernel, uint32_t threads = 0) {
  EmulatorStatistics statistics;
  EmulatorOptions options;
  options.threads = threads;
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(1 << 16)), u32Array(std::vector<uint32_t>(32))};
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options, &statistics);
  EXPECT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(!result || result->diagnostics.empty()) << errorText(result->diagnostics);
  return statistics.cycles;
}

/// `count` loads that depend on each other; each takes kGlobalLatency.
Kernel waiting(int count) {
  Kernel kernel;
  kernel.threads = 128;
  for (int n = 0; n < count; ++n)
    kernel.body += "ld.global.u32 %r1, [%d50];\nadd.u32 %r2, %r1, 1;\n";
  kernel.body += "ret;";
  return kernel;
}

TEST(Residency, IsWhatTheGridNeedsAndTheMultiprocessorHas) {
  Kernel kernel;
  kernel.body = "ret;";
  kernel.threads = 128;
  for (auto [blocks, resident] : {std::pair{1u, 1u}, {kSms, 1u}, {kSms + 1, 2u}, {4 * kSms, 4u}, {100 * kSms, 16u}}) {
    kernel.blocks = blocks;
    EXPECT_EQ(residentOf(kernel), resident) << blocks;
  }
  kernel.threads = 1024;
  EXPECT_EQ(residentOf(kernel), 2u);
  kernel.threads = 32;
  EXPECT_EQ(residentOf(kernel), 32u);
  kernel.dynamicSmem = 33 << 10;
  EXPECT_EQ(residentOf(kernel), 6u);
  kernel.dynamicSmem = 200 << 10;
  EXPECT_EQ(residentOf(kernel), 1u);
}

TEST(Residency, RegistersThatAreLiveAtOnce) {
  Kernel kernel;
  kernel.threads = 256;
  kernel.blocks = 100 * kSms;
  kernel.params = 1;
  kernel.body = ".reg .b32 %x<200>;\n";
  for (int n = 0; n < 100; ++n)
    kernel.body += "ld.global.u32 %x" + std::to_string(n) + ", [%d50];\n";
  for (int n = 0; n < 100; ++n)
    kernel.body += "st.global.u32 [%d50], %x" + std::to_string(n) + ";\n";
  kernel.body += "ret;";
  EXPECT_EQ(residentOf(kernel), 2u); // 102, rounded to a multiple of eight
  kernel.directives = ".maxnreg 64";
  EXPECT_EQ(residentOf(kernel), 4u);
  kernel.directives = ".maxntid 256, 1, 1\n.minnctapersm 3";
  EXPECT_EQ(residentOf(kernel), 3u);
}

TEST(Placement, BlocksThatWaitDoSoSideBySide) {
  Kernel kernel = waiting(10);
  uint64_t one = cyclesOf(kernel);
  EXPECT_GT(one, 10 * cost::kGlobalLatency);
  kernel.blocks = 16 * kSms; // all fit
  EXPECT_EQ(cyclesOf(kernel), one + 15 * cost::kBlockEvery);
  kernel.blocks = 32 * kSms;
  EXPECT_NEAR(static_cast<double>(cyclesOf(kernel)), 2.0 * static_cast<double>(one + 8 * cost::kBlockEvery), one / 4.0);
  kernel.dynamicSmem = 200 << 10; // one block at a time
  kernel.blocks = 4 * kSms;
  EXPECT_EQ(cyclesOf(kernel), 4 * one);
}

TEST(Placement, ThoseThatMayTalkDoSoToo) {
  Kernel kernel = waiting(10);
  kernel.body.insert(kernel.body.size() - 4, "red.global.add.u32 [%d51], 1;\n");
  uint64_t one = cyclesOf(kernel);
  kernel.blocks = 16 * kSms;
  EXPECT_LT(cyclesOf(kernel), one + one / 4);
  kernel.dynamicSmem = 200 << 10;
  kernel.blocks = 4 * kSms;
  EXPECT_EQ(cyclesOf(kernel), 4 * one);
}

TEST(Placement, BlocksShareTheIssueSlots) {
  Kernel kernel;
  kernel.threads = 1024;
  kernel.body = "mov.u32 %r1, 1;\n";
  for (int n = 0; n < 400; ++n)
    kernel.body += "add.u32 %r1, %r1, %r1;\n";
  kernel.body += "ret;";
  constexpr uint64_t kSlots = 404 * 32 / cost::kIssuesPerCycle; // two load parameters
  uint64_t one = cyclesOf(kernel);
  EXPECT_EQ(one, cost::kBlockStart + kSlots);
  kernel.blocks = 2 * kSms; // both fit, and take as long as if they ran one after the other
  EXPECT_EQ(cyclesOf(kernel), cost::kBlockStart + 2 * kSlots);
}

TEST(Placement, TheNumberOfHostThreadsChangesNothing) {
  Kernel kernel = waiting(3);
  kernel.blocks = 40 * kSms + 5;
  EXPECT_EQ(cyclesOf(kernel, 1), cyclesOf(kernel, 4));
  kernel.cluster = {5, 1, 1};
  kernel.blocks = 40 * 5 * 26 + 15;
  EXPECT_EQ(cyclesOf(kernel, 1), cyclesOf(kernel, 4));
}

} // namespace
} // namespace lanescope::core::test
