// How much of a kernel's synchronisation a run has shown, and schedules that show more.
#include "core/gpu/emulator/coverage/Coverage.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <algorithm>

namespace lanescope::core::test {
namespace {

TEST(Schedule, TextsAreReadBack) {
  for (const char *text :
       {"0", "7", "slow-copies", "slow-copies:3", "slow-warpgroup-1", "slow-warpgroup-2:9", "late-arrivals",
        "late-arrivals:4000000000", "late-warp-0:0", "late-warp-511:70000", "late-signals", "late-signals:2",
        "slow-block-0", "slow-block-16777215:4", "slow-warp-0", "slow-warp-31:2"}) {
    auto number = parseSchedule(text);
    ASSERT_TRUE(number) << text;
    EXPECT_EQ(scheduleText(*number), text);
  }
  EXPECT_EQ(*parseSchedule("slow-copies:3"), (Schedule{3, Adversary::SlowCopies}.number()));
}

TEST(Schedule, WhatIsNoneSaysWhatThereIs) {
  for (const char *text :
       {"", "-1", "slow", "slow-copies:", "slow-copies:x", "slow-warpgroup-", "slow-warpgroup-8", "3:3", "slow-block-",
        "slow-block-16777216", "late-warp-512:1", "late-warp-:1", "slow-warp-", "slow-warp-32"}) {
    auto number = parseSchedule(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().front().kind, "schedule");
    EXPECT_TRUE(mentions(number.error(), "slow-copies:3"));
  }
}

TEST(Schedule, SeedsAndAdversaries) {
  auto texts = [](uint32_t seeds, bool adversaries, uint32_t warpgroups) {
    std::string all;
    for (uint64_t schedule : schedulesOf(seeds, adversaries, {.warpgroups = warpgroups}))
      all += scheduleText(schedule) + " ";
    return all;
  };
  EXPECT_EQ(texts(3, false, 2), "0 1 2 ");
  EXPECT_EQ(texts(1, true, 1), "0 slow-copies late-arrivals ");
  EXPECT_EQ(texts(2, true, 2), "0 slow-copies late-arrivals slow-warpgroup-0 slow-warpgroup-1 1 slow-copies:1 "
                               "late-arrivals:1 slow-warpgroup-0:1 slow-warpgroup-1:1 ");
}

TEST(Schedule, SlowWarpsFollowTheFirstSeed) {
  auto texts = [](uint32_t warps) {
    std::string all;
    for (uint64_t schedule : schedulesOf(2, true, {.warps = warps}))
      all += scheduleText(schedule) + " ";
    return all;
  };
  EXPECT_EQ(texts(2), "0 slow-warp-0 slow-warp-1 slow-copies late-arrivals 1 slow-copies:1 late-arrivals:1 ");
  EXPECT_EQ(texts(32), "0 slow-warp-0 slow-warp-31 slow-warp-1 slow-warp-2 slow-warp-3 slow-warp-4 slow-warp-5 "
                       "slow-warp-6 slow-copies late-arrivals 1 slow-copies:1 late-arrivals:1 ");
}

// One warp issues `rounds` bulk copies into a ring of two buffers; the other warp reads. The `full` barriers are at
// 1024 and 1032, the `empty` ones at 1040 and 1048.
Kernel ring(uint32_t rounds) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.dynamicSmem = 2048;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = R"(
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p1, %r0, 0;
  mov.u32 %r20, smem;
  @%p1 mbarrier.init.shared.b64 [smem+1024], 1;
  @%p1 mbarrier.init.shared.b64 [smem+1032], 1;
  @%p1 mbarrier.init.shared.b64 [smem+1040], 32;
  @%p1 mbarrier.init.shared.b64 [smem+1048], 32;
  fence.mbarrier_init.release.cluster;
  bar.sync 0;
  mov.u32 %r1, 0;
  mov.u32 %r9, 0;
  setp.ge.u32 %p2, %r0, 32;
  @%p2 bra READER;
  setp.ne.u32 %p3, %r0, 0;
  @%p3 bra DONE;
COPY:
  and.b32 %r2, %r1, 1;
  shl.b32 %r3, %r2, 3;
  add.u32 %r3, %r3, %r20;
  shr.u32 %r4, %r1, 1;
  xor.b32 %r5, %r4, 1;
  and.b32 %r5, %r5, 1;
WE: mbarrier.try_wait.parity.shared.b64 %p4, [%r3+1040], %r5;
  @!%p4 bra WE;
  shl.b32 %r6, %r2, 7;
  add.u32 %r6, %r6, %r20;
  mbarrier.arrive.expect_tx.shared.b64 %d3, [%r3+1024], 128;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%d50], 128, [%r3+1024];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p5, %r1, ROUNDS;
  @%p5 bra COPY;
  bra DONE;
READER:
  sub.u32 %r10, %r0, 32;
  shl.b32 %r11, %r10, 2;
READ:
  and.b32 %r2, %r1, 1;
  shl.b32 %r3, %r2, 3;
  add.u32 %r3, %r3, %r20;
  shr.u32 %r4, %r1, 1;
  and.b32 %r5, %r4, 1;
WF: mbarrier.try_wait.parity.shared.b64 %p4, [%r3+1024], %r5;
  @!%p4 bra WF;
  shl.b32 %r6, %r2, 7;
  add.u32 %r6, %r6, %r20;
  add.u32 %r6, %r6, %r11;
  ld.shared.u32 %r7, [%r6];
  add.u32 %r9, %r9, %r7;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.shared.b64 %d4, [%r3+1040];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p5, %r1, ROUNDS;
  @%p5 bra READ;
  cvt.u64.u32 %d5, %r11;
  add.s64 %d6, %d51, %d5;
  st.global.u32 [%d6], %r9;
DONE:
  ret;)";
  for (size_t at; (at = kernel.body.find("ROUNDS")) != std::string::npos;)
    kernel.body.replace(at, 6, std::to_string(rounds));
  return kernel;
}

struct Shown {
  Coverage coverage;
  RunResult result;
};

void show(Shown &shown, const Kernel &kernel, const char *schedule, bool observe = true) {
  std::vector<uint32_t> numbers(32);
  for (uint32_t n = 0; n < 32; ++n)
    numbers[n] = n;
  std::vector<Array> arrays{u32Array(numbers), u32Array(std::vector<uint32_t>(32))};
  EmulatorOptions options;
  options.seed = *parseSchedule(schedule);
  options.coverage = observe ? &shown.coverage : nullptr;
  auto result = emulate(Source::make("ring.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  shown.result = std::move(*result);
}

std::vector<std::string> kinds(const Coverage &coverage) {
  std::vector<std::string> all;
  for (const Diagnostic &gap : coverage.gaps())
    all.push_back(gap.kind);
  std::ranges::sort(all);
  return all;
}

TEST(Coverage, ARingThatIsNotComeRound) {
  Shown shown;
  show(shown, ring(2), "0");
  std::vector<std::string> gaps = kinds(shown.coverage);
  // Both buffers are filled once: no warp waited for an empty buffer, no copy reused a buffer, and no full barrier
  // completed a second phase.
  EXPECT_EQ(gaps, (std::vector<std::string>{"coverage-never-reused", "coverage-never-waited", "coverage-one-parity"}))
      << shown.coverage.report();
}

TEST(Coverage, ARingThatIs) {
  Shown shown;
  show(shown, ring(8), "0");
  EXPECT_EQ(kinds(shown.coverage), std::vector<std::string>()) << shown.coverage.report();
  EXPECT_TRUE(shown.coverage.summary().starts_with("coverage: "));
}

TEST(Coverage, ALoopOfOneRound) {
  Shown shown;
  show(shown, ring(1), "0");
  EXPECT_EQ(std::ranges::count(kinds(shown.coverage), "coverage-one-round"), 2) << shown.coverage.report();
}

TEST(Coverage, RunsAddUp) {
  Shown shown;
  show(shown, ring(2), "0");
  size_t points = shown.coverage.points().size();
  show(shown, ring(2), "slow-copies");
  EXPECT_EQ(shown.coverage.points().size(), points);
}

TEST(Coverage, LookingChangesNothing) {
  Shown observed, plain;
  show(observed, ring(8), "5");
  show(plain, ring(8), "5", false);
  EXPECT_EQ(observed.result.note, plain.result.note);
  EXPECT_EQ(observed.result.timeUs, plain.result.timeUs);
  EXPECT_EQ(words(observed.result.outputs[1]), words(plain.result.outputs[1]));
}

TEST(Coverage, AdversariesTakeTheirTimeAndChangeNoResult) {
  Shown plain;
  show(plain, ring(8), "0");
  for (const char *schedule : {"slow-copies", "slow-warpgroup-0", "late-arrivals", "late-arrivals:3"}) {
    Shown slow;
    show(slow, ring(8), schedule, false);
    EXPECT_GT(slow.result.timeUs, plain.result.timeUs) << schedule;
    EXPECT_EQ(words(slow.result.outputs[1]), words(plain.result.outputs[1])) << schedule;
  }
}

// --- accesses of words that several warps or blocks use without an order --------------------------------------------

const char *const kTotal = ".shared .align 4 .b32 total;";
const std::string kNumber = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\nmov.u32 %r4, total;\n";
const std::string kBarrier = "bar.sync 0;\n";

/// Two warps add to a word of shared memory, and thread 0 stores the sum.
Kernel sum(const std::string &add = "atom.shared.add.u32 %r1, [%r4], 1;\n") {
  Kernel kernel;
  kernel.threads = 64;
  kernel.declarations = kTotal;
  kernel.body = kNumber + "@%p1 st.shared.u32 [%r4], 0;\n" + kBarrier + add + kBarrier +
                "@%p1 ld.shared.u32 %r2, [%r4];\n@%p1 st.global.u32 [%d50], %r2;\nret;\n";
  return kernel;
}

std::vector<CoveragePoint> accesses(const Coverage &coverage) {
  std::vector<CoveragePoint> all;
  std::ranges::copy_if(coverage.points(), std::back_inserter(all),
                       [](const CoveragePoint &point) { return point.kind == CoveragePoint::Kind::Access; });
  return all;
}

TEST(CoverageOfAccesses, WarpsThatUseOneWordAtAnyTimeMustHaveBeenLate) {
  Shown shown;
  show(shown, sum(), "0");
  ASSERT_EQ(accesses(shown.coverage).size(), 3u) << shown.coverage.report();
  EXPECT_EQ(accesses(shown.coverage)[1].users, (std::set<uint32_t>{0, 1}));
  EXPECT_EQ(std::ranges::count(kinds(shown.coverage), "coverage-late-untried"), 3) << shown.coverage.report();
  EXPECT_NE(shown.coverage.report().find("0 of 2 warps were late"), std::string::npos) << shown.coverage.report();
  show(shown, sum(), "slow-warp-0");
  EXPECT_EQ(std::ranges::count(kinds(shown.coverage), "coverage-late-untried"), 1) << shown.coverage.report();
  EXPECT_NE(shown.coverage.report().find("1 of 2 warps were late"), std::string::npos) << shown.coverage.report();
  show(shown, sum(), "slow-warp-1");
  EXPECT_EQ(std::ranges::count(kinds(shown.coverage), "coverage-late-untried"), 0) << shown.coverage.report();
  EXPECT_EQ(shown.coverage.late().suspected, 3u);
  EXPECT_EQ(shown.coverage.late().tried, 3u);
}

TEST(CoverageOfAccesses, WordsThatOneWarpUsesDoNotCount) {
  Shown shown;
  show(shown, sum("@%p1 atom.shared.add.u32 %r1, [%r4], 1;\n"), "0");
  EXPECT_TRUE(accesses(shown.coverage).empty()) << shown.coverage.report();
}

TEST(CoverageOfAccesses, WordsThatNothingReadsDoNotCount) {
  Shown shown;
  Kernel kernel;
  kernel.threads = 64;
  kernel.body = "red.global.add.u32 [%d50], 1;\nret;\n";
  kernel.blocks = 2;
  show(shown, kernel, "0");
  EXPECT_TRUE(accesses(shown.coverage).empty()) << shown.coverage.report();
}

TEST(CoverageOfAccesses, BlocksThatUseOneWordOfGlobalMemory) {
  Shown shown;
  Kernel kernel;
  kernel.blocks = 3;
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 atom.global.add.u32 %r1, [%d50], 1;\nret;\n";
  show(shown, kernel, "0");
  ASSERT_EQ(accesses(shown.coverage).size(), 1u) << shown.coverage.report();
  EXPECT_NE(shown.coverage.report().find("0 of 3 blocks were late"), std::string::npos) << shown.coverage.report();
  for (const char *schedule : {"slow-block-0", "slow-block-1", "slow-block-2"})
    show(shown, kernel, schedule);
  EXPECT_TRUE(kinds(shown.coverage).empty()) << shown.coverage.report();
}

} // namespace
} // namespace lanescope::core::test
