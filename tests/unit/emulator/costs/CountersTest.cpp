// Counts that atomics update, and that threads look at before they take a number.
#include "core/gpu/emulator/replay/Counters.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <string>
#include <vector>

namespace lanescope::core::test {
namespace {

using namespace emulator;

/// Four blocks look at a count by `look`, take a number from it by `take`, and store a word for each number below 8.
Result<RunResult> queue(const std::string &look, const std::string &take, const std::string &schedule = "0",
                        const std::string &store = "st.global.u32 [%d1], %r3;") {
  Kernel kernel;
  kernel.params = 2;
  kernel.blocks = 4;
  kernel.threads = 1;
  kernel.body = "LOOK:\n" + look + "\nsetp.ge.u32 %p1, %r1, 8;\n@%p1 ret;\n" + take +
                "\nsetp.ge.u32 %p2, %r2, 8;\n@%p2 bra LOOK;\nmul.wide.u32 %d1, %r2, 4;\nadd.s64 %d1, %d51, %d1;\n"
                "add.u32 %r3, %r2, 1;\n" +
                store + "\nbra LOOK;";
  EmulatorOptions options;
  options.seed = *parseSchedule(schedule);
  return run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(8))}, options);
}

const std::string kVolatileLook = "ld.volatile.global.u32 %r1, [%d50];",
                  kRelaxedLook = "ld.relaxed.gpu.global.u32 %r1, [%d50];",
                  kAtomicLook = "atom.global.or.b32 %r1, [%d50], 0;", kPlainLook = "ld.global.u32 %r1, [%d50];",
                  kTake = "atom.global.add.u32 %r2, [%d50], 1;";

TEST(Counters, ALookBeforeAnAtomicIsNoFault) {
  for (const std::string &look : {kVolatileLook, kRelaxedLook, kAtomicLook})
    for (const char *schedule : {"0", "1", "slow-block-1", "late-signals", "late-signals:1", "late-signals:3"}) {
      auto result = queue(look, kTake, schedule);
      ASSERT_TRUE(result) << errorText(result.error());
      EXPECT_TRUE(result->diagnostics.empty()) << look << schedule << errorText(result->diagnostics);
      EXPECT_EQ(words(result->outputs[1]), (std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
    }
}

TEST(Counters, APlainLookIsAHazard) {
  auto result = queue(kPlainLook, kTake);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u) << errorText(result->diagnostics);
  EXPECT_EQ(result->diagnostics[0].kind, "racing-value");
  EXPECT_EQ(result->diagnostics[0].severity, Severity::Warning);
}

TEST(Counters, OnlyAtomicsTakeNumbers) {
  // Two blocks may take one number, and both add to its word.
  auto result = queue(kVolatileLook, "mov.u32 %r2, %r1;\nadd.u32 %r4, %r1, 1;\nst.volatile.global.u32 [%d50], %r4;",
                      "slow-block-1", "red.global.add.u32 [%d1], %r3;");
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "race");
}

TEST(Counters, AnAtomicOfTheWrongScopeIsAFault) {
  auto result = queue(kVolatileLook, "atom.relaxed.cta.global.add.u32 %r2, [%d50], 1;");
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "race");
}

TEST(Counters, WhatIsComputedFromTheCountIsAResult) {
  // Block 1 waits for block 0's flag without a fence, and stores the count that it finds.
  Kernel kernel;
  kernel.params = 2;
  kernel.blocks = 2;
  kernel.threads = 1;
  kernel.body =
      "mov.u32 %r0, %ctaid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra LOOK;\natom.global.add.u32 %r1, [%d50], 5;\n"
      "st.volatile.global.u32 [%d50+4], 1;\nret;\nLOOK:\nld.volatile.global.u32 %r2, [%d50+4];\n"
      "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra LOOK;\nld.volatile.global.u32 %r3, [%d50];\n"
      "st.global.u32 [%d51], %r3;\nret;";
  auto result = run(kernel, {u32Array({0, 0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "race");
}

TEST(Counters, HideBytesOfTheLaunchsArraysOnly) {
  Grid grid;
  grid.devices = 1;
  grid.firstCopy = 1;
  grid.copies = 1;
  grid.regions.resize(3);
  for (Region &region : grid.regions)
    region.name = "r";
  auto addressOf = [](uint64_t region, uint64_t offset) { return kGlobalBase + (region << kRegionShift) + offset; };
  Counters counters;
  for (uint64_t region : {0, 1, 2})
    counters.add(grid, addressOf(region, 4), 4);
  counters.remove(grid, addressOf(1, 7), 1);
  RunResult first, other;
  first.outputs = {u32Array({1, 2, 3})};
  other.outputs = {u32Array({0x11, 0x22222222, 0x33})};
  counters.hide(first, other);
  EXPECT_EQ(words(other.outputs[0]), (std::vector<uint32_t>{0x11, 0x22000002, 0x33}));
}

} // namespace
} // namespace lanescope::core::test
