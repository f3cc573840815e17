// Races and deadlocks whose cause is a barrier that counts too few arrivals.
#include "core/gpu/emulator/coverage/Schedule.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <gtest/gtest.h>

namespace lanescope::core::test {
namespace {

/// An mbarrier for `count` arrivals is at smem+1024, and one for a single arrival at smem+1032. Each warp has its own
/// code; %r0 is the lane, %r6 the address of 4 bytes for the thread, and %p1 is true in lane 0.
Kernel counted(int count, std::vector<std::string> bodies) {
  Kernel kernel;
  kernel.threads = static_cast<uint32_t>(32 * bodies.size());
  kernel.dynamicSmem = 2048;
  kernel.params = 1;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\nshl.b32 %r5, %r0, 2;\nmov.u32 %r6, smem;\nadd.u32 %r6, %r6, %r5;\n"
                "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [smem+1024], " +
                std::to_string(count) +
                ";\n@%p1 mbarrier.init.shared.b64 [smem+1032], 1;\nbar.sync 0;\nshr.u32 %r1, %r0, 5;\n"
                "and.b32 %r0, %r0, 31;\nsetp.eq.u32 %p1, %r0, 0;\n";
  for (size_t warp = 1; warp < bodies.size(); ++warp)
    kernel.body += "setp.eq.u32 %p2, %r1, " + std::to_string(warp) + ";\n@%p2 bra C" + std::to_string(warp) + ";\n";
  for (size_t warp = 0; warp < bodies.size(); ++warp)
    kernel.body += "C" + std::to_string(warp) + ":\n" + bodies[warp] + "\nbra.uni END;\n";
  kernel.body += "END: ret;\n";
  return kernel;
}

Diagnostics findingsOf(const Kernel &kernel, const char *schedule, bool keepGoing = false) {
  EmulatorOptions options;
  options.seed = *parseSchedule(schedule);
  options.keepGoing = keepGoing;
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(256))};
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options);
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? result->diagnostics : Diagnostics{};
}

const char *const kSchedules[] = {"0", "1", "2", "late-arrivals", "late-arrivals:2", "slow-warp-0", "slow-warp-1"};

/// `kind` is the only finding, in any schedule.
void expectCause(const Kernel &kernel, std::string_view kind, std::string_view said) {
  for (const char *schedule : kSchedules) {
    Diagnostics found = findingsOf(kernel, schedule);
    ASSERT_EQ(found.size(), 1u) << schedule << errorText(found);
    EXPECT_EQ(found[0].kind, kind) << schedule << errorText(found);
    EXPECT_TRUE(mentions(found, said)) << schedule << errorText(found);
  }
}

void expectNone(const Kernel &kernel) {
  for (const char *schedule : kSchedules) {
    Diagnostics found = findingsOf(kernel, schedule);
    EXPECT_TRUE(found.empty()) << schedule << errorText(found);
  }
}

std::string awaits(const std::string &label, const std::string &barrier, int parity) {
  return label + ": mbarrier.try_wait.parity.shared.b64 %p3, [" + barrier + "], " + std::to_string(parity) +
         ";\n@!%p3 bra " + label + ";\n";
}

const std::string kStores = "st.shared.u32 [%r6], %r0;\n", kArrives = "mbarrier.arrive.shared.b64 %d3, [smem+1024];\n",
                  kLeads = "bar.warp.sync -1;\n@%p1 " + kArrives, kLoads = "ld.shared.u32 %r2, [%r6+-128];\n",
                  kLoadsBoth = kLoads + "ld.shared.u32 %r3, [%r6+-256];\n";

TEST(EarlyPhases, AnMbarrierForTheThreadsOfOneWarp) {
  auto kernel = [](int count) {
    return counted(count, {kStores + kArrives, kStores + kArrives, awaits("A", "smem+1024", 0) + kLoadsBoth});
  };
  expectCause(kernel(32), "arrival-count", "is initialised here for 32 arrivals, and more come to it in one round");
  expectNone(kernel(64));
}

TEST(EarlyPhases, AnMbarrierForOneOfTwoLeaders) {
  auto kernel = [](int count) {
    return counted(count, {kStores + kLeads, kStores + kLeads, awaits("A", "smem+1024", 0) + kLoadsBoth});
  };
  expectCause(kernel(1), "arrival-count", "is initialised here for 1 arrival, and");
  expectNone(kernel(2));
}

/// A phase can end in the middle of a warp.
TEST(EarlyPhases, AnMbarrierForHalfOfAWarp) {
  auto kernel = [](int count) {
    return counted(count, {kStores + "bar.warp.sync -1;\n" + kArrives, awaits("A", "smem+1024", 0) + kLoads});
  };
  expectNone(kernel(32));
  Diagnostics found =
      findingsOf(counted(48, {kStores + kArrives, kStores + kArrives, awaits("A", "smem+1024", 0) + kLoadsBoth}), "0");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "arrival-count") << errorText(found);
  EXPECT_TRUE(mentions(found, "before other lanes of warp")) << errorText(found);
  EXPECT_TRUE(mentions(found, "this leads to a fault here: `")) << errorText(found);
}

/// The producer overwrites what a second reader still reads.
TEST(EarlyPhases, AnMbarrierForOneOfTwoReaders) {
  const std::string reads = awaits("R%", "smem+1032", 0) + "ld.shared.u32 %r2, [smem];\n" + kLeads;
  auto reader = [&](const std::string &name) {
    std::string out = reads;
    for (size_t at; (at = out.find("R%")) != out.npos;)
      out.replace(at, 2, name);
    return out;
  };
  auto kernel = [&](int count) {
    return counted(count, {"@%p1 st.shared.u32 [smem], %r0;\n@%p1 mbarrier.arrive.shared.b64 %d3, [smem+1032];\n" +
                               awaits("A", "smem+1024", 0) + "@%p1 st.shared.u32 [smem], 7;\n",
                           reader("X"), reader("Y")});
  };
  expectCause(kernel(1), "arrival-count", "for 1 arrival, and more come to it");
  expectNone(kernel(2));
}

TEST(EarlyPhases, AThreadThatArrivesTwiceIsNamed) {
  auto kernel = [](const std::string &again) {
    return counted(2, {kStores + kLeads + again, "nanosleep.u32 5000;\n" + kStores + kLeads,
                       awaits("A", "smem+1024", 0) + kLoadsBoth});
  };
  Diagnostics found = findingsOf(kernel("@%p1 " + kArrives), "0");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "phase-overrun");
  EXPECT_TRUE(mentions(found, "warp 0 arrives twice in phase 0 of")) << errorText(found);
  EXPECT_TRUE(mentions(found, "for the second time")) << errorText(found);
  expectNone(kernel(""));
}

TEST(EarlyPhases, ACountOfAnArrival) {
  auto kernel = [](int each) {
    const std::string leads =
        "bar.warp.sync -1;\n@%p1 mbarrier.arrive.shared.b64 %d3, [smem+1024], " + std::to_string(each) + ";\n";
    return counted(64, {kStores + leads, kStores + leads, awaits("A", "smem+1024", 0) + kLoadsBoth});
  };
  expectCause(kernel(64), "arrival-count", "is initialised here for 64 arrivals");
  expectNone(kernel(32));
}

TEST(EarlyPhases, ArrivalsAfterCopies) {
  const std::string copies = "shl.b32 %r7, %r5, 2;\ncvt.u64.u32 %d5, %r7;\nadd.s64 %d5, %d0, %d5;\nmov.u32 %r8, smem;\n"
                             "add.u32 %r8, %r8, %r7;\ncp.async.cg.shared.global [%r8], [%d5], 16;\n"
                             "cp.async.mbarrier.arrive.noinc.shared.b64 [smem+1024];\n";
  auto kernel = [&](int count) {
    Kernel out = counted(count, {copies, "nanosleep.u32 2000;\n" + copies,
                                 awaits("A", "smem+1024", 0) + "ld.shared.u32 %r2, [smem];\nld.shared.u32 %r3, "
                                                               "[smem+512];\nst.global.u32 [%d0], %r3;\n"});
    out.body = "ld.param.u64 %d0, [p0];\n" + out.body;
    return out;
  };
  Diagnostics found = findingsOf(kernel(32), "0");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "arrival-count") << errorText(found);
}

/// Both blocks of a cluster write into the first one's memory, and arrive there.
TEST(EarlyPhases, AnMbarrierForOneOfTwoBlocks) {
  auto kernel = [](int count) {
    const std::string wait = "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [smem+1024], 0;\n";
    Kernel out;
    out.threads = 64;
    out.blocks = 2;
    out.cluster = {2, 1, 1};
    out.params = 1;
    out.dynamicSmem = 2048;
    out.declarations = ".extern .shared .align 128 .b8 smem[];";
    out.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %cluster_ctarank;\nsetp.eq.u32 %p1, %r0, 0;\nmov.u32 %r6, smem;\n"
               "@%p1 mbarrier.init.shared.b64 [smem+1024], " +
               std::to_string(count) +
               ";\nfence.mbarrier_init.release.cluster;\n"
               "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
               "setp.ge.u32 %p2, %r0, 32;\n@%p2 bra READER;\n"
               "mapa.shared::cluster.u32 %r7, %r6, 0;\nmad.lo.u32 %r8, %r1, 128, %r7;\nmad.lo.u32 %r8, %r0, 4, %r8;\n"
               "st.shared::cluster.u32 [%r8], %r0;\nbar.warp.sync -1;\n"
               "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7+1024];\nbra.uni END;\n"
               "READER: setp.ne.u32 %p4, %r1, 0;\n@%p4 bra END;\nA: " +
               wait +
               "@!%p3 bra A;\nld.shared.u32 %r2, [smem];\nld.shared.u32 %r3, [smem+128];\n"
               "END: barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\nret;\n";
    return out;
  };
  expectCause(kernel(1), "arrival-count", "is initialised here for 1 arrival, and more come to it");
  expectNone(kernel(2));
}

TEST(EarlyPhases, AMissedPhaseOfTooFewArrivals) {
  Diagnostics found = findingsOf(
      counted(1, {kLeads, kLeads, "nanosleep.u32 20000;\n" + awaits("A", "smem+1024", 0) + "bar.warp.sync -1;\n"}),
      "0");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "arrival-count") << errorText(found);
  EXPECT_TRUE(mentions(found, "deadlock in block (0, 0, 0)")) << errorText(found);
}

TEST(EarlyPhases, ANamedBarrierForTwoOfThreeWarps) {
  auto kernel = [](int threads) {
    const std::string arrives = kStores + "bar.arrive 1, " + std::to_string(threads) + ";\n";
    return counted(1, {arrives, "nanosleep.u32 2000;\nbra.uni C0;\n",
                       "bar.sync 1, " + std::to_string(threads) + ";\n" + kLoadsBoth});
  };
  Diagnostics found = findingsOf(kernel(64), "0");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "barrier-conflict") << errorText(found);
  EXPECT_TRUE(mentions(found, "named barrier 1 is for 64 threads, and more come to it")) << errorText(found);
  EXPECT_TRUE(mentions(found, "this leads to a fault here")) << errorText(found);
  expectNone(kernel(96));
}

/// An order that is missing elsewhere is no matter of the barrier, although its arrivals could be counted otherwise.
TEST(EarlyPhases, ARaceAfterAllHaveArrivedIsTold) {
  Diagnostics found = findingsOf(
      counted(2, {kStores + kLeads + kStores, kStores + kLeads, awaits("A", "smem+1024", 0) + kLoadsBoth}), "0");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "race") << errorText(found);
}

TEST(EarlyPhases, ARunThatGoesOnNamesTheCauseToo) {
  Diagnostics found =
      findingsOf(counted(1, {kStores + kLeads, kStores + kLeads, awaits("A", "smem+1024", 0) + kLoadsBoth}), "0", true);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "arrival-count") << errorText(found);
}

} // namespace
} // namespace lanescope::core::test
