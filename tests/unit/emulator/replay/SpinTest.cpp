// A spin that no warp will end is a deadlock; a spin that a warp ends is not.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// Two blocks of one thread each. %r0 is the block's number. `a` runs in block 0 and `b` in block 1.
Kernel twoBlocks(const std::string &a, const std::string &b) {
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = 2;
  kernel.threads = 1;
  kernel.dynamicSmem = 64;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.body =
      "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p9, %r0, 1;\n@%p9 bra SECOND;\n" + a + "\nret;\nSECOND:\n" + b + "\nret;\n";
  return kernel;
}

std::string poll(const std::string &label, int word, int value) {
  return label + ": ld.acquire.gpu.global.u32 %r1, [%d50+" + std::to_string(4 * word) + "];\nsetp.ne.u32 %p1, %r1, " +
         std::to_string(value) + ";\n@%p1 bra " + label + ";\n";
}
std::string set(int word, int value) {
  return "st.release.gpu.global.u32 [%d50+" + std::to_string(4 * word) + "], " + std::to_string(value) + ";\n";
}

struct Seen {
  std::string kind, report;
  std::vector<uint32_t> values;
};

/// Checks that one host thread and several give the same, and returns it.
Seen seen(const Kernel &kernel) {
  Seen out;
  for (uint32_t threads : {1u, 3u}) {
    EmulatorOptions options;
    options.threads = threads;
    options.timeoutSeconds = 300; // a busy machine under the sanitizers is slow
    auto result = run(kernel, {u32Array({0, 0, 0, 0})}, options);
    if (!result) {
      ADD_FAILURE() << errorText(result.error());
      return {};
    }
    Seen now{result->diagnostics.empty() ? "" : result->diagnostics[0].kind, errorText(result->diagnostics),
             words(result->outputs[0])};
    if (threads > 1) {
      EXPECT_EQ(now.report, out.report);
    }
    out = now;
  }
  return out;
}

TEST(Spin, BlocksThatWaitForEachOther) {
  Seen found = seen(twoBlocks(poll("A", 0, 7) + set(1, 8), poll("B", 1, 8) + set(0, 7)));
  EXPECT_EQ(found.kind, "deadlock");
  for (const char *words :
       {"in block (0, 0, 0), warp 0 polls here with `ld.acquire.gpu.global.u32`: byte 0 of buffer 0 "
        "(u32[4]) is 0, and the loop compares it with 7 (`setp.ne.u32`)",
        "in block (1, 0, 0), warp 0 polls here with `ld.acquire.gpu.global.u32`: byte 4 of buffer 0 "
        "(u32[4]) is 0, and the loop compares it with 8"})
    EXPECT_NE(found.report.find(words), std::string::npos) << found.report;
  EXPECT_EQ(found.report.find("a plain load"), std::string::npos) << found.report;
}

TEST(Spin, BlocksInTheRightOrderAreNotAccused) {
  Seen found = seen(twoBlocks(set(1, 8) + poll("A", 0, 7), poll("B", 1, 8) + set(0, 7)));
  EXPECT_EQ(found.report, "");
  EXPECT_EQ(found.values, (std::vector<uint32_t>{7, 8, 0, 0}));
}

TEST(Spin, ACompareAndSwapThatFailsChangesNothing) {
  std::string lock = "L: atom.acquire.gpu.global.cas.b32 %r1, [%d50], 1, 0;\nsetp.ne.u32 %p1, %r1, 1;\n@%p1 bra L;\n";
  Seen found = seen(twoBlocks(lock, ""));
  EXPECT_EQ(found.kind, "deadlock");
  EXPECT_NE(found.report.find("is 0, and the loop goes on until it is 1"), std::string::npos) << found.report;
  EXPECT_EQ(seen(twoBlocks(lock, set(0, 1))).report, "");
}

TEST(Spin, AnotherBlockThatComputesForLongMayStillSignal) {
  // The flag is set only after two million rounds without a store.
  std::string compute = "mov.u32 %r2, 0;\nC: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 2000000;\n@%p2 bra C;\n";
  Seen found = seen(twoBlocks(poll("A", 0, 7) + set(1, 3), compute + set(0, 7)));
  EXPECT_EQ(found.report, "");
  EXPECT_EQ(found.values, (std::vector<uint32_t>{7, 3, 0, 0}));
}

TEST(Spin, AWaitWithATimeLimitMayGiveUpAndSignal) {
  // The second block tests 20 times whether its own mbarrier's phase has completed, and then sets the flag.
  std::string tries = "mbarrier.init.shared.b64 [smem], 1;\nmov.u32 %r2, 0;\n"
                      "T: mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;\nadd.u32 %r2, %r2, 1;\n"
                      "setp.lt.u32 %p2, %r2, 20;\n@%p2 bra T;\n";
  Seen found = seen(twoBlocks(poll("A", 0, 7), tries + set(0, 7)));
  EXPECT_EQ(found.report, "");
  // The waiting warp shares its block with a spinning warp, so it never waits alone.
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 64;
  kernel.dynamicSmem = 64;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  auto body = [&](const std::string &end) {
    return "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p4, %r0, 32;\nsetp.lt.u32 %p5, %r0, 32;\n@%p5 bra SPIN;\n"
           "@!%p4 bra END;\nmbarrier.init.shared.b64 [smem], 1;\nmov.u32 %r2, 0;\n"
           "T: mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;\n" +
           end + "END: ret;\nSPIN:\n" + poll("A", 0, 7) + "ret;\n";
  };
  kernel.body = body("add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 20;\n@%p2 bra T;\n" + set(0, 7));
  EXPECT_EQ(seen(kernel).report, "");
  kernel.body = body("@!%p3 bra T;\n" + set(0, 7));
  found = seen(kernel);
  EXPECT_EQ(found.kind, "deadlock");
  EXPECT_NE(found.report.find("warp 1 waits here for the mbarrier"), std::string::npos) << found.report;
  EXPECT_NE(found.report.find("warp 0 polls here"), std::string::npos) << found.report;
}

TEST(Spin, LoopsThatReadAClockAreNotJudged) {
  std::string clock = "mov.u64 %d1, %clock64;\nC: mov.u64 %d2, %clock64;\nsub.u64 %d2, %d2, %d1;\n"
                      "setp.lt.u64 %p2, %d2, 3000000;\nmov.u64 %d2, 0;\n@%p2 bra C;\n";
  Seen found = seen(twoBlocks(poll("A", 0, 7), clock + set(0, 7)));
  EXPECT_EQ(found.report, "");
}

TEST(Spin, PlainLoadsAreNamed) {
  Seen found = seen(twoBlocks("A: ld.global.u32 %r1, [%d50];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\n", ""));
  EXPECT_EQ(found.kind, "deadlock");
  EXPECT_NE(found.report.find("a plain load may be read once"), std::string::npos) << found.report;
  found = seen(twoBlocks("ld.global.u32 %r1, [%d50];\nA: setp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\n", ""));
  EXPECT_EQ(found.kind, "endless-loop");
  EXPECT_NE(found.report.find("a loop that reads no memory"), std::string::npos) << found.report;
  EXPECT_NE(found.report.find("a plain load may be read once"), std::string::npos) << found.report;
}

TEST(Spin, ALoopThatCountsIsNotJudged) {
  EmulatorOptions options;
  options.timeoutSeconds = 0.1;
  auto result = run(twoBlocks("A: add.u32 %r3, %r3, 1;\nbra A;\n", ""), {u32Array({0})}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].kind, "timeout");
}

} // namespace
} // namespace lanescope::core::test
