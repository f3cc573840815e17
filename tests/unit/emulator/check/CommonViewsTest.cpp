// Barriers of a whole block, after which all warps know the same, together with everything that orders only some of
// them (check/Ordering.h).
#include "core/gpu/emulator/coverage/Schedule.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <gtest/gtest.h>

namespace lanescope::core::test {
namespace {

/// Each warp has its own code after two barriers of the whole block. An mbarrier for 32 arrivals is at smem+1024.
Kernel meeting(std::vector<std::string> bodies) {
  Kernel kernel;
  kernel.threads = static_cast<uint32_t>(32 * bodies.size());
  kernel.dynamicSmem = 2048;
  kernel.params = 1;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [smem+1024], 32;\n"
                "bar.sync 0;\nbar.sync 0;\nshr.u32 %r1, %r0, 5;\nand.b32 %r0, %r0, 31;\nsetp.eq.u32 %p1, %r0, 0;\n";
  for (size_t warp = 1; warp < bodies.size(); ++warp)
    kernel.body += "setp.eq.u32 %p2, %r1, " + std::to_string(warp) + ";\n@%p2 bra M" + std::to_string(warp) + ";\n";
  for (size_t warp = 0; warp < bodies.size(); ++warp)
    kernel.body += "M" + std::to_string(warp) + ":\n" + bodies[warp] + "\nbra.uni END;\n";
  kernel.body += "END: ret;\n";
  return kernel;
}

/// The kinds of the findings, in a few schedules.
void expectFindings(const std::vector<std::string> &bodies, std::string_view kind) {
  for (const char *schedule : {"0", "1", "slow-warp-0", "slow-warp-1"}) {
    EmulatorOptions options;
    options.seed = *parseSchedule(schedule);
    std::vector<Array> arrays{u32Array(std::vector<uint32_t>(64))};
    Kernel kernel = meeting(bodies);
    auto result = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options);
    ASSERT_TRUE(result) << errorText(result.error());
    if (kind.empty()) {
      EXPECT_TRUE(result->diagnostics.empty()) << schedule << errorText(result->diagnostics);
      continue;
    }
    ASSERT_FALSE(result->diagnostics.empty()) << schedule;
    EXPECT_EQ(result->diagnostics[0].kind, kind) << schedule << errorText(result->diagnostics);
  }
}

const std::string kPut = "@%p1 st.shared.u32 [smem], %r0;\n", kGet = "ld.shared.u32 %r2, [smem];\n",
                  kMeet = "bar.sync 0;\n", kPair = "bar.sync 1, 64;\n",
                  kSignal = "bar.warp.sync -1;\nmbarrier.arrive.shared.b64 %d3, [smem+1024];\n",
                  kAwait = "mbarrier.try_wait.parity.shared.b64 %p3, [smem+1024], 0;\n";

std::string awaited(const std::string &label) { return label + ": " + kAwait + "@!%p3 bra " + label + ";\n"; }

TEST(CommonViews, ABarrierOfTheBlockOrdersAll) {
  expectFindings({kPut + kMeet, kMeet + kGet, kMeet + kGet}, "");
  expectFindings({kPut + kMeet + kMeet, kMeet + kGet + kMeet, kMeet + kGet + kMeet}, "");
}

TEST(CommonViews, AStoreAfterTheBarrierIsNotOrdered) {
  expectFindings({kMeet + kPut, kMeet + kGet, kMeet}, "race");
  expectFindings({kMeet + kMeet + kPut + kMeet, kMeet + kMeet + kGet + kMeet, kMeet + kMeet + kMeet}, "race");
}

TEST(CommonViews, ABarrierOfTwoWarpsOrdersThoseTwo) {
  expectFindings({kPut + kPair, kPair + kGet, ""}, "");
  expectFindings({kPut + kPair, kPair, kGet}, "race");
  expectFindings({kPair + kPut, kPair + kGet, ""}, "race");
  expectFindings({kPut + kPair + kMeet, kPair + kMeet, kMeet + kGet}, "");
}

TEST(CommonViews, AnArrivalThatDoesNotWaitOrdersOneWay) {
  expectFindings({kPut + "bar.arrive 1, 64;\n", kPair + kGet, ""}, "");
  expectFindings({"bar.arrive 1, 64;\n" + kGet, kPut + kPair, ""}, "race");
  expectFindings({"bar.arrive 1, 64;\n" + kPut, kPair + kGet, ""}, "race");
}

TEST(CommonViews, WhatOneWarpHasLearntReachesAllAtTheNextBarrier) {
  expectFindings({kPut + kSignal, awaited("A") + kMeet, kMeet + kGet}, ""); // the barrier is ordered after a warp's end
  expectFindings({kPut + kSignal + kMeet, awaited("A") + kMeet + kGet, kMeet + kGet}, "");
  expectFindings({kPut + kSignal, awaited("A") + kPair, kPair + kGet}, "");
  expectFindings({kPut + kSignal + kPair, awaited("A") + kGet, kPair + kGet}, "");
  expectFindings({kSignal + kPut + kPair, awaited("A") + kGet, kPair}, "race");
}

TEST(CommonViews, LanesKnowWhatTheirWarpKnows) {
  const std::string each = "shl.b32 %r5, %r0, 2;\nmov.u32 %r6, smem;\nadd.u32 %r7, %r6, %r5;\n",
                    puts = each + "st.shared.u32 [%r7], %r0;\n", other = "ld.shared.u32 %r2, [smem+4];\n";
  expectFindings({puts + kMeet + other, kMeet, kMeet}, "");
  expectFindings({puts + other + kMeet, kMeet, kMeet}, "warp-synchronous");
}

} // namespace
} // namespace lanescope::core::test
