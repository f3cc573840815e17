// Arrivals and waits that may belong to another phase of their barrier than in a run, and what a late warp breaks.
#include "core/gpu/emulator/coverage/Coverage.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/coverage/SchedulePlan.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanescope::core::test {
namespace {

/// Each warp has its own code, from label W0 on; %r0 is the lane. The mbarriers for one arrival are at smem+1024, +1032
/// and +1040.
Kernel warps(std::vector<std::string> bodies) {
  Kernel kernel;
  kernel.threads = static_cast<uint32_t>(32 * bodies.size());
  kernel.dynamicSmem = 2048;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\n"
                "@%p1 mbarrier.init.shared.b64 [smem+1024], 1;\n@%p1 mbarrier.init.shared.b64 [smem+1032], 1;\n"
                "@%p1 mbarrier.init.shared.b64 [smem+1040], 1;\nbar.sync 0;\n"
                "shr.u32 %r1, %r0, 5;\nand.b32 %r0, %r0, 31;\nsetp.eq.u32 %p1, %r0, 0;\n";
  for (size_t warp = 1; warp < bodies.size(); ++warp)
    kernel.body += "setp.eq.u32 %p2, %r1, " + std::to_string(warp) + ";\n@%p2 bra W" + std::to_string(warp) + ";\n";
  for (size_t warp = 0; warp < bodies.size(); ++warp)
    kernel.body += "W" + std::to_string(warp) + ":\n" + bodies[warp] + "\nbra.uni END;\n";
  kernel.body += "END: ret;\n";
  return kernel;
}

RunResult ran(const Kernel &kernel, const char *schedule = "0") {
  EmulatorOptions options;
  options.seed = *parseSchedule(schedule);
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(64))};
  Kernel with = kernel;
  with.params = 1;
  auto result = emulate(Source::make("k.ptx", with.ptx()), launchOf(with, arrays), arrays, options);
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? std::move(*result) : RunResult{};
}

void expectFault(const Kernel &kernel, std::string_view kind, std::string_view said) {
  RunResult result = ran(kernel);
  ASSERT_EQ(result.diagnostics.size(), 1u) << errorText(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].kind, kind) << errorText(result.diagnostics);
  EXPECT_TRUE(mentions(result.diagnostics, said)) << errorText(result.diagnostics);
}

void expectClean(const Kernel &kernel) {
  for (const char *schedule : {"0", "1", "late-arrivals"}) {
    RunResult result = ran(kernel, schedule);
    EXPECT_TRUE(result.diagnostics.empty()) << schedule << errorText(result.diagnostics);
  }
}

const std::string kLong = "nanosleep.u32 5000;\n";
const std::string kWrites = "st.shared.u32 [smem], %r0;\n", kReads = "ld.shared.u32 %r2, [smem];\n";
std::string wait(const std::string &label, const std::string &barrier, const std::string &parity) {
  return label + ": mbarrier.try_wait.parity.shared.b64 %p3, [" + barrier + "], " + parity + ";\n@!%p3 bra " + label +
         ";\n";
}
const std::string kArriveA = "bar.warp.sync -1;\n@%p1 mbarrier.arrive.shared.b64 %d3, [smem+1024];\n",
                  kArriveB = "@%p1 mbarrier.arrive.shared.b64 %d3, [smem+1032];\n",
                  kArriveC = "bar.warp.sync -1;\n@%p1 mbarrier.arrive.shared.b64 %d3, [smem+1040];\n";

TEST(Phases, TwoPairsOfWarpsWithOneBarrierNumber) {
  auto pairs = [](const std::string &number, const std::string &first) {
    return warps({"@%p1 st.shared.u32 [smem], %r0;\nbar.arrive 1, 64;",
                  "bar.sync 1, 64;\n" + kReads + first + "bar.sync " + number + ", 64;",
                  (first.empty() ? kLong : first) + "bar.sync " + number + ", 64;"});
  };
  expectFault(pairs("1", ""), "barrier-conflict", "named barrier 1 is used by two groups of warps at once: warp 2");
  EXPECT_TRUE(mentions(ran(pairs("1", "")).diagnostics, "late-warp-0:1"));
  expectClean(pairs("2", ""));
  expectClean(pairs("1", "bar.sync 3, 64;\n")); // warp 2 comes after the meeting of the first pair
}

/// Warps 0 and 1 exchange data at barrier 1, and so do warps 2 and 3; the first pair comes late the second time.
TEST(Phases, ARaceBetweenTwoPairsWithOneBarrierNamesTheBarrier) {
  auto side = [](int writes, int reads, const std::string &first) {
    return "shl.b32 %r5, %r0, 2;\nmov.u32 %r6, smem;\nadd.u32 %r6, %r6, %r5;\n" + first + "st.shared.u32 [%r6+" +
           std::to_string(128 * writes) + "], %r0;\nbar.sync 1, 64;\nld.shared.u32 %r2, [%r6+" +
           std::to_string(128 * reads) + "];\nbar.sync 1, 64;\nst.shared.u32 [%r6+1152], %r2;\n";
  };
  RunResult result = ran(warps({side(0, 1, ""), side(1, 0, kLong), side(2, 3, ""), side(3, 2, kLong)}));
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].kind, "race");
  EXPECT_TRUE(
      mentions(result.diagnostics, "between the two: named barrier 1 let warp 0 go on with warp 2, not with warp 1"))
      << errorText(result.diagnostics);
}

TEST(Phases, ARaceAfterABarrierAtTwoPlacesNamesBoth) {
  expectFault(
      warps({"bar.sync 0;\n@%p1 st.shared.u32 [smem], %r0;\nbar.sync 0;", "bar.sync 0;\n" + kReads + "bar.sync 0;"}),
      "race", "no barrier (`bar.sync`, an mbarrier) between the two: barrier 0 let both go on, warp 1 from line ");
}

TEST(Phases, AnMbarrierThatIsInvalidatedTooEarlyNamesTheInvalidation) {
  const std::string arrive = "@%p1 mbarrier.arrive.shared.b64 %d1, [smem+1024];\n";
  expectFault(warps({arrive + wait("A", "smem+1024", "0") + "@%p1 mbarrier.inval.shared.b64 [smem+1024];",
                     kLong + wait("B", "smem+1024", "0")}),
              "mbarrier", "has been invalidated and is still used");
}

TEST(Phases, TheRunWithTheLateWarpShowsWhatItBreaks) {
  Kernel kernel = warps({"@%p1 st.shared.u32 [smem], %r0;\nbar.arrive 1, 64;",
                         "bar.sync 1, 64;\n" + kReads + "bar.sync 1, 64;", kLong + "bar.sync 1, 64;"});
  RunResult late = ran(kernel, "late-warp-0:1");
  ASSERT_FALSE(late.diagnostics.empty());
  EXPECT_EQ(late.diagnostics[0].kind, "race") << errorText(late.diagnostics);
  EXPECT_EQ(ran(kernel, "late-warp-1:9").diagnostics[0].kind, "barrier-conflict") << "there is no operation 9";
}

TEST(Phases, MoreThreadsThanTheCount) {
  auto counted = [](const std::string &count) {
    return warps(
        {"S: bar.sync 1, " + count + ";", "bra.uni S;", "bra.uni A;", kLong + "A: bar.arrive 1, " + count + ";"});
  };
  expectFault(counted("96"), "barrier-conflict", "named barrier 1 is for 96 threads, and more come to it");
  expectClean(counted("128"));
}

TEST(Phases, AWarpThatArrivesTwice) {
  Kernel twice = warps({"bar.arrive 1, 64;\nbar.sync 1, 64;", kLong + "bar.sync 1, 64;\nbar.sync 1, 64;"});
  expectFault(twice, "barrier-conflict", "warp 0 arrives twice in one phase of named barrier 1");
  EXPECT_TRUE(mentions(ran(twice).diagnostics, "for the first time"));
  EXPECT_TRUE(mentions(ran(twice).diagnostics, "for the second time"));
  expectClean(warps({"bar.sync 1, 64;\nbar.sync 1, 64;", kLong + "bar.sync 1, 64;\nbar.sync 1, 64;"}));
}

/// Two stages with barriers 1 and 2 for full ones, and `empty` and the next number for empty ones.
TEST(Phases, ARaceAfterAWarpHasArrivedTwiceIsNotTheCause) {
  auto stages = [](int empty) {
    const std::string one = std::to_string(empty), two = std::to_string(empty + 1);
    return warps({"st.shared.u32 [smem], %r0;\nbar.arrive 1, 64;\nst.shared.u32 [smem+64], %r0;\nbar.arrive 2, 64;\n"
                  "bar.sync " +
                      one + ", 64;\nst.shared.u32 [smem], 7;\nbar.sync " + two + ", 64;",
                  kLong + "bar.sync 1, 64;\n" + kReads + "bar.arrive " + one + ", 64;\nbar.sync 2, 64;\n" +
                      "ld.shared.u32 %r3, [smem+64];\nbar.arrive " + two + ", 64;\nst.global.u32 [%d50], %r2;"});
  };
  RunResult result = ran(stages(2));
  ASSERT_GE(result.diagnostics.size(), 2u) << errorText(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].kind, "barrier-conflict");
  EXPECT_TRUE(mentions(result.diagnostics, "warp 0 arrives twice in one phase of named barrier 2"));
  EXPECT_EQ(result.diagnostics[1].kind, "race");
  expectClean(stages(3));
}

/// A consumer's first wait has the parity of a producer's.
TEST(Phases, AFirstWaitForParityOne) {
  auto consumer = [](const std::string &parity) { return warps({kArriveA, kLong + wait("A", "smem+1024", parity)}); };
  expectFault(consumer("1"), "phase-overrun", "only a producer's first wait may have it");
  EXPECT_TRUE(mentions(ran(consumer("1")).diagnostics, "phase 0 of the mbarrier at"));
  expectClean(consumer("0"));
}

TEST(Phases, APhaseThatDoesNotWaitForTheWaitBefore) {
  std::string waits = wait("A0", "smem+1024", "0");
  expectFault(warps({waits, kLong + kArriveA + kLong + kArriveA}), "phase-overrun",
              "may both be over before warp 0 waits here for phase 0");
  expectFault(warps({kLong + waits, kArriveA + kArriveA}), "phase-overrun",
              "were over before warp 0 waited here for phase 0, and now the wait is for phase 2");
  // One warp commits, and all four warps of its warpgroup wait for it. None of them is late by a whole phase.
  RunResult near = ran(warps({waits, kLong + kArriveA + kLong + kArriveA}));
  EXPECT_EQ(near.diagnostics[0].severity, Severity::Warning) << errorText(near.diagnostics);
  std::string none = "bra.uni END;";
  RunResult far = ran(warps({waits, none, none, none, kLong + kArriveA + kLong + kArriveA}));
  EXPECT_EQ(far.diagnostics[0].severity, Severity::Error) << errorText(far.diagnostics);
  // The second arrival waits for the first wait.
  expectClean(warps({waits + kArriveB, kLong + kArriveA + wait("B0", "smem+1032", "0") + kArriveA}));
  // Warp 0 knows that two phases are complete, and waits for the third.
  expectClean(warps({"bar.sync 1, 64;\n" + wait("B0", "smem+1032", "0") + kArriveB + wait("A2", "smem+1024", "0"),
                     kArriveA + wait("A0", "smem+1024", "0") + kArriveA + wait("A1", "smem+1024", "1") + kArriveB +
                         "bar.sync 1, 64;\n" + kLong + kArriveA}));
}

/// Four warps of a warpgroup wait, and one of them begins the next round, like ThunderKittens' producers. Another
/// warpgroup that waits in the same way, and that no warp waits for, may be late.
TEST(Phases, WarpsThatFollowOneOfTheirWarpgroup) {
  auto rounds = [](const std::string &name, const std::string &waitFor, const std::string &parity,
                   const std::string &then) {
    return "mov.u32 %r3, 0;\n" + name + "R:\nadd.u32 %r4, %r3, " + parity + ";\nand.b32 %r4, %r4, 1;\n" +
           wait(name, waitFor, "%r4") + then + "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p5, %r3, 4;\n@%p5 bra " + name +
           "R;\n";
  };
  const std::string arrives = "mbarrier.arrive.shared.b64 %d9, [smem+";
  std::string consumer = rounds("C", "smem+1024", "0", "@%p1 " + arrives + "1032];\n");
  std::string producers =
      rounds("P", "smem+1032", "1", "setp.eq.u32 %p4, %r1, 4;\nand.pred %p4, %p4, %p1;\n@%p4 " + arrives + "1024];\n");
  const std::string follows = "bra.uni W4;\n";
  RunResult result = ran(warps({consumer, "", "", "", producers, follows, follows, follows}));
  ASSERT_FALSE(result.diagnostics.empty());
  for (const Diagnostic &found : result.diagnostics) {
    EXPECT_EQ(found.kind, "phase-overrun") << errorText(result.diagnostics);
    EXPECT_EQ(found.severity, Severity::Warning) << errorText(result.diagnostics);
  }
  for (const char *schedule : {"slow-warp-4", "slow-warp-5", "slow-warp-7"}) {
    result = ran(warps({consumer, "", "", "", producers, follows, follows, follows}), schedule);
    EXPECT_FALSE(hasErrors(result.diagnostics)) << schedule << errorText(result.diagnostics);
  }
  result = ran(warps({consumer, "", "", "", producers, "", "", "", follows}));
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].kind, "phase-overrun") << errorText(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::Error) << errorText(result.diagnostics);
}

TEST(Phases, AnArrivalInPlaceOfAnother) {
  Kernel kernel =
      warps({wait("A0", "smem+1024", "0") + kReads, kWrites + kLong + kArriveA, kArriveA + kLong + kLong + kArriveA});
  kernel.body.replace(kernel.body.find("[smem+1024], 1;"), 15, "[smem+1024], 2;");
  // Warps 1 and 2 complete phase 0; warp 2's second arrival may come before warp 1's.
  RunResult result = ran(kernel);
  ASSERT_EQ(result.diagnostics.size(), 1u) << errorText(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].kind, "phase-overrun") << errorText(result.diagnostics);
  EXPECT_TRUE(mentions(result.diagnostics, "in place of one of warp 1")) << errorText(result.diagnostics);
}

TEST(Phases, TooManyArrivalsNameEachOther) {
  // One arrival is expected; its bytes are still in flight.
  RunResult expects = ran(warps({"@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+1024], 128;\n"
                                 "@%p1 mbarrier.arrive.shared.b64 %d3, [smem+1024];\n"}));
  ASSERT_FALSE(expects.diagnostics.empty());
  EXPECT_EQ(expects.diagnostics[0].kind, "mbarrier");
  for (const char *part : {"more arrivals than", "with `mbarrier.arrive.expect_tx.shared.b64`, arrival 1 of this phase",
                           "with `mbarrier.arrive.shared.b64`, arrival 2 of this phase"})
    EXPECT_TRUE(mentions(expects.diagnostics, part)) << part << errorText(expects.diagnostics);
  RunResult others = ran(warps({"@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+1024], 128;\n",
                                kLong + "@%p1 mbarrier.arrive.shared.b64 %d3, [smem+1024];\n"}));
  EXPECT_TRUE(mentions(others.diagnostics, "warp 0 arrives here")) << errorText(others.diagnostics);
  EXPECT_TRUE(mentions(others.diagnostics, "warp 1 arrives here")) << errorText(others.diagnostics);
  // A named barrier for 64 threads, at which three warps meet.
  RunResult named = ran(warps({"bar.arrive 1, 96;", kLong + "bar.arrive 1, 96;", kLong + kLong + "bar.sync 1, 96;"}));
  EXPECT_TRUE(named.diagnostics.empty()) << errorText(named.diagnostics);
}

// --- coverage counts ------------------------------------------------------------------------------------------------

Coverage covered(const Kernel &kernel) {
  Coverage coverage;
  EmulatorOptions options;
  options.coverage = &coverage;
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(64))};
  Kernel with = kernel;
  with.params = 1;
  auto result = emulate(Source::make("k.ptx", with.ptx()), launchOf(with, arrays), arrays, options);
  EXPECT_TRUE(result) << errorText(result.error());
  return coverage;
}

bool hasGap(const Coverage &coverage, std::string_view kind) {
  Diagnostics gaps = coverage.gaps();
  return std::ranges::any_of(gaps, [&](const Diagnostic &gap) { return gap.kind == kind; });
}

TEST(Phases, CoverageCountsWarpsWhoseLatenessBreaksTheKernel) {
  Coverage coverage = covered(warps({"@%p1 st.shared.u32 [smem], %r0;\nbar.arrive 1, 64;",
                                     "bar.sync 1, 64;\n" + kReads + "bar.sync 1, 64;", kLong + "bar.sync 1, 64;"}));
  EXPECT_GE(coverage.late().suspected, 1u) << coverage.report();
  EXPECT_GE(coverage.late().breaking, 1u) << coverage.report();
  EXPECT_EQ(coverage.late().tried, coverage.late().suspected) << coverage.report();
  EXPECT_TRUE(hasGap(coverage, "coverage-late-breaks")) << coverage.report();
  EXPECT_NE(coverage.summary().find("one late warp or block could matter"), std::string::npos) << coverage.summary();
}

TEST(Phases, CoverageCountsWarpsWhoseLatenessWasTriedInVain) {
  // The warps exchange nothing, so it does not matter which two of the four warps meet first.
  Coverage coverage =
      covered(warps({"bar.sync 1, 64;", "bar.sync 1, 64;", kLong + "bar.sync 1, 64;", kLong + "bar.sync 1, 64;"}));
  EXPECT_GE(coverage.late().suspected, 1u) << coverage.report();
  EXPECT_EQ(coverage.late().tried, coverage.late().suspected);
  EXPECT_EQ(coverage.late().breaking, 0u);
  EXPECT_FALSE(hasGap(coverage, "coverage-late-breaks")) << coverage.report();
  EXPECT_FALSE(hasGap(coverage, "coverage-late-untried")) << coverage.report();
}

TEST(Phases, CoverageSaysWhichLateWarpsWereNotTried) {
  // The run ends in a fault that is not about coverage.
  Coverage coverage = covered(
      warps({"bar.arrive 1, 64;", "bar.sync 1, 64;\nbar.sync 1, 64;\nbar.sync 2, 64;\n" + kReads,
             kLong + "bar.sync 1, 64;\nst.shared.u32 [smem], %r0;\nbar.arrive 2, 64;\nst.shared.u32 [smem], 1;"}));
  EXPECT_GE(coverage.late().suspected, 1u) << coverage.report();
  EXPECT_EQ(coverage.late().tried, 0u) << coverage.report();
  EXPECT_TRUE(hasGap(coverage, "coverage-late-untried")) << coverage.report();
  EXPECT_NE(coverage.report().find("a fault ended the run"), std::string::npos) << coverage.report();
}

TEST(Phases, CoverageCountsNoLateWarpsWhereAllIsOrdered) {
  for (const Kernel &kernel :
       {warps({"bar.sync 1, 64;\nbar.sync 1, 64;", kLong + "bar.sync 1, 64;\nbar.sync 1, 64;"}),
        warps({wait("A0", "smem+1024", "0") + kArriveB, kLong + kArriveA + wait("B0", "smem+1032", "0") + kArriveA})}) {
    Coverage coverage = covered(kernel);
    EXPECT_EQ(coverage.late().suspected, 0u) << coverage.report();
    EXPECT_EQ(coverage.summary().find("late warp"), std::string::npos) << coverage.summary();
  }
}

TEST(Phases, MoreBytesThanExpected) {
  auto copies = [](const std::string &arrival) {
    return warps({"@%p1 " + arrival +
                  "\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], "
                  "[%d50], 128, [smem+1024];\n" +
                  wait("A0", "smem+1024", "0") + kReads});
  };
  auto less = copies("mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+1024], 64;");
  expectFault(less, "deadlock", "64 bytes more than expected arrived");
  EXPECT_TRUE(mentions(ran(less).diagnostics, "bring 64 bytes more than its `expect_tx` says"));
  auto none = warps({"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%d50], 128, "
                     "[smem+1024];\n" +
                     wait("A0", "smem+1024", "0") + kReads});
  expectFault(none, "deadlock", "no `expect_tx` has announced these 128 bytes");
}

TEST(Phases, APhaseThatEndsWithoutTheBytesOfItsCopy) {
  RunResult result = ran(warps({kArriveA +
                                    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                                    "[smem], [%d50], 128, [smem+1024];\n" +
                                    wait("P0", "smem+1024", "0"),
                                wait("A0", "smem+1024", "0") + kReads}));
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].kind, "copy-not-awaited") << errorText(result.diagnostics);
  EXPECT_TRUE(mentions(result.diagnostics, "no `expect_tx` announces the bytes of this copy"));
}

TEST(Phases, APhaseThatEndsBeforeOneOfItsCopies) {
  auto copies = [](int announced, const std::string &later) {
    auto copy = [](int at) {
      std::string place = std::to_string(at);
      return "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+" + place + "], [%d50+" +
             place + "], 64, [smem+1024];\n";
    };
    return warps({"@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+1024], " + std::to_string(announced) + ";\n" +
                  copy(0) + copy(64) + wait("A0", "smem+1024", "0") + kReads + later});
  };
  expectClean(copies(128, ""));
  // Nothing else goes wrong: the kernel waits for the other half later.
  Kernel few = copies(64, "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+1024], 64;\n" +
                              wait("A1", "smem+1024", "1") + kReads);
  RunResult result = ran(few);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].kind, "copy-not-awaited") << errorText(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::Error);
  EXPECT_TRUE(mentions(result.diagnostics, "phase 0 of")) << errorText(result.diagnostics);
  EXPECT_TRUE(mentions(result.diagnostics, "ends before this copy, whose 64 bytes it was to count"))
      << errorText(result.diagnostics);
}

TEST(Phases, ACopyThatIsTooEarlyIsToldAtTheCopy) {
  auto ring = [](const std::string &release, const std::string &told) {
    std::string copy = "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+1024], 128;\n@%p1 "
                       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%d50], 128, "
                       "[smem+1024];\n";
    return warps({copy + wait("P0", "smem+1024", "0") + told + copy + wait("P1", "smem+1024", "1"),
                  wait("A0", "smem+1024", "0") + kLong + kReads + "fence.proxy.async.shared::cta;\n" + release +
                      wait("A1", "smem+1024", "1") + kReads});
  };
  RunResult early = ran(ring("", ""));
  ASSERT_FALSE(early.diagnostics.empty());
  EXPECT_EQ(early.diagnostics[0].kind, "race") << errorText(early.diagnostics);
  EXPECT_TRUE(mentions(early.diagnostics, "here may start before warp 1 reads")) << errorText(early.diagnostics);
  EXPECT_TRUE(mentions(early.diagnostics, "nothing after that read signals to warp 0")) << errorText(early.diagnostics);
  expectClean(ring(kArriveC, wait("C0", "smem+1040", "0")));
}

TEST(Residency, BlocksThatWaitForThoseWithoutRoom) {
  Kernel kernel;
  kernel.threads = 1024;
  kernel.blocks = 300;
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %nctaid.x;\nmov.u32 %r3, %tid.x;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\n"
                "atom.add.release.gpu.global.u32 %r1, [%d50], 1;\n"
                "W: ld.acquire.gpu.global.u32 %r2, [%d50];\nsetp.lt.u32 %p1, %r2, %r0;\n@%p1 bra W;\nEND: ret;";
  std::vector<Array> arrays{u32Array({0})};
  Launch launch = launchOf(kernel, arrays);
  EmulatorOptions options;
  options.timeoutSeconds = 300; // a busy machine under the sanitizers is slow
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launch, arrays, options);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.back().kind, "blocks-not-resident") << errorText(result->diagnostics);
  EXPECT_TRUE(mentions(result->diagnostics, "the grid has 300 blocks, and at most 264 of them are resident at once"));
  launch.cooperative = true;
  auto refused = emulate(Source::make("k.ptx", kernel.ptx()), launch, arrays, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().front().kind, "launch");
  EXPECT_TRUE(mentions(refused.error(), "a cooperative launch of 300 blocks does not fit: at most 264"));
}

TEST(Residency, WhatFitsWithFewRegistersIsLetIn) {
  Kernel kernel; // its live registers let two blocks fit a multiprocessor in the model; ptxas may spill
  kernel.threads = 512;
  kernel.blocks = 132 * 4;
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %nctaid.x;\nmov.u32 %r3, %tid.x;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\n";
  for (int n = 4; n < 56; ++n)
    kernel.body += "ld.global.u32 %r" + std::to_string(n) + ", [%d50+" + std::to_string(4 * n) + "];\n";
  kernel.body += "atom.add.release.gpu.global.u32 %r1, [%d50], 1;\n"
                 "W: ld.acquire.gpu.global.u32 %r2, [%d50];\nsetp.lt.u32 %p1, %r2, %r0;\n@%p1 bra W;\n";
  for (int n = 5; n < 56; ++n)
    kernel.body += "add.u32 %r4, %r4, %r" + std::to_string(n) + ";\n";
  kernel.body += "st.global.u32 [%d50+252], %r4;\nEND: ret;";
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(64))};
  EmulatorOptions options;
  options.timeoutSeconds = 300; // the sanitizers take half a minute
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_FALSE(hasErrors(result->diagnostics)) << errorText(result->diagnostics);
}

size_t runsOf(uint64_t instructions, double reserve, uint64_t ptxBytes = 3000) {
  ScheduleReserve left{reserve};
  SchedulePlan plan(left, {.warpgroups = 2}, ptxBytes, 1024);
  size_t runs = 0;
  while (plan.next()) {
    plan.ran(instructions, false);
    ++runs;
  }
  return runs;
}

TEST(SchedulePlan, SmallKernelsHaveAllSchedulesAndLargeOnesOne) {
  EXPECT_EQ(runsOf(500, 12'000), 20u) << "four seeds, each with four adversaries";
  EXPECT_EQ(runsOf(100'000'000, 12'000), 1u);
  size_t between = runsOf(20'000, 12'000);
  EXPECT_GT(between, 1u);
  EXPECT_LT(between, 20u);
  EXPECT_LT(runsOf(500, 12'000, 500'000), 20u) << "text that has to be read again costs, too";
}

TEST(SchedulePlan, NothingNewAfterAFault) {
  ScheduleReserve reserve{1e9};
  SchedulePlan plan(reserve, {}, 0, 0);
  EXPECT_EQ(plan.next(), 0u);
  plan.ran(1, false);
  EXPECT_EQ(plan.next(), 1u) << "a seed before the adversaries";
  plan.stop();
  EXPECT_FALSE(plan.next());
}

} // namespace
} // namespace lanescope::core::test
