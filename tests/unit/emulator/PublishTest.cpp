// What an atomic publishes to other blocks: a relaxed one what a fence of the GPU came behind, a release all.
#include "tests/unit/emulator/Support.h"

namespace lanescope::core::test {
namespace {

/// The last of four blocks adds up what all have stored; `publish` counts them in.
Result<RunResult> lastBlockSums(const std::string &publish, const std::string &before = "") {
  Kernel kernel;
  kernel.threads = 1;
  kernel.blocks = 4;
  kernel.params = 3;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.u64 %d1, %d50, %d0;\nadd.u32 %r1, %r0, 1;\n"
                "st.global.u32 [%d1], %r1;\n" +
                before + publish +
                "\nsetp.ne.u32 %p1, %r2, 3;\n@%p1 ret;\nld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d50];\n"
                "add.u32 %r3, %r3, %r4;\nadd.u32 %r5, %r5, %r6;\nadd.u32 %r3, %r3, %r5;\nst.global.u32 [%d52], %r3;\n"
                "ret;";
  return run(kernel, {u32Array({0, 0, 0, 0}), u32Array({0}), u32Array({0})});
}

TEST(Publish, ByAFenceBeforeARelaxedAtomicOrByARelease) {
  for (auto [publish, before] : {std::pair("atom.global.add.u32 %r2, [%d51], 1;", "membar.gl;\n"),
                                 std::pair("atom.global.relaxed.gpu.add.u32 %r2, [%d51], 1;", "fence.acq_rel.gpu;\n"),
                                 std::pair("atom.acq_rel.gpu.global.add.u32 %r2, [%d51], 1;", ""),
                                 std::pair("atom.add.release.gpu.global.u32 %r2, [%d51], 1;", "")}) {
    auto result = lastBlockSums(publish, before);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << before << publish << errorText(result->diagnostics);
    EXPECT_EQ(words(result->outputs[2])[0], 10u);
  }
}

TEST(Publish, NotByARelaxedAtomicAlone) {
  for (const char *before : {"", "membar.cta;\n", "fence.acq_rel.cluster;\n"}) {
    auto result = lastBlockSums("atom.global.add.u32 %r2, [%d51], 1;", before);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << before;
    EXPECT_EQ(result->diagnostics[0].kind, "race");
    EXPECT_TRUE(mentions(result->diagnostics, "fence.acq_rel.gpu")) << errorText(result->diagnostics);
  }
}

TEST(Publish, NotWhatComesBehindTheFence) {
  auto result = lastBlockSums("atom.global.add.u32 %r2, [%d51], 1;", "fence.acq_rel.gpu;\nst.global.u32 [%d1], 9;\n");
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "without an order")) << errorText(result->diagnostics);
}

TEST(Publish, NotByAScopeWithinTheCluster) {
  for (auto [publish, before] : {std::pair("atom.global.relaxed.cta.add.u32 %r2, [%d51], 1;", "fence.acq_rel.gpu;\n"),
                                 std::pair("atom.acq_rel.cta.global.add.u32 %r2, [%d51], 1;", ""),
                                 std::pair("atom.add.acq_rel.cluster.global.u32 %r2, [%d51], 1;", "")}) {
    auto result = lastBlockSums(publish, before);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << before << publish;
    EXPECT_EQ(result->diagnostics[0].kind, "race");
    EXPECT_TRUE(mentions(result->diagnostics, "`.gpu` does")) << errorText(result->diagnostics);
  }
}

/// Block 0 stores 42 and raises a flag by `raise`; block 1 waits for it by `look`, and reads.
Result<RunResult> byAFlag(const std::string &raise, const std::string &look) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.blocks = 2;
  kernel.params = 3;
  kernel.body =
      "mov.u32 %r0, %ctaid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra LOOK;\nst.global.u32 [%d50], 42;\n" + raise +
      "\nret;\nLOOK:\n" + look +
      "\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 bra LOOK;\nld.global.u32 %r3, [%d50];\nst.global.u32 [%d52], %r3;\nret;";
  return run(kernel, {u32Array({0}), u32Array({0}), u32Array({0})});
}

TEST(Publish, ByAFlagOfAScopeThatBothAreIn) {
  const std::string acquire = "ld.acquire.gpu.global.u32 %r2, [%d51];";
  auto good = byAFlag("st.release.gpu.global.u32 [%d51], 1;", acquire);
  ASSERT_TRUE(good) << errorText(good.error());
  EXPECT_TRUE(good->diagnostics.empty()) << errorText(good->diagnostics);
  EXPECT_EQ(words(good->outputs[2])[0], 42u);
  for (const auto &[raise, look] :
       {std::pair<std::string, std::string>("st.release.cta.global.u32 [%d51], 1;", acquire),
        {"red.release.cluster.global.add.u32 [%d51], 1;", acquire},
        {"red.release.gpu.global.add.u32 [%d51], 1;", "ld.acquire.cta.global.u32 %r2, [%d51];"}}) {
    auto result = byAFlag(raise, look);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << raise << look;
    EXPECT_EQ(result->diagnostics[0].kind, "race");
    EXPECT_TRUE(mentions(result->diagnostics, "`.gpu` does")) << errorText(result->diagnostics);
  }
}

} // namespace
} // namespace lanescope::core::test
