// Barriers that some lanes of a warp skip. CuPy's filters leave a loop that contains `__syncthreads()` early.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// Thread t runs t / 16 + 1 rounds of a loop with a barrier, and then `behind`.
Kernel rounds(const std::string &behind) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d50, %d1;\nshr.u32 %r2, %r0, 4;\n"
                "mov.u32 %r1, 0;\nLOOP: setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra DONE;\nbar.sync 0;\n"
                "add.u32 %r1, %r1, 1;\nbra LOOP;\nDONE: st.global.u32 [%d1], %r1;\n" +
                behind + "ret;";
  return kernel;
}

TEST(PartialBarrier, OthersMayEnd) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(rounds(""), {u32Array(std::vector<uint32_t>(64, 9))}, options);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_FALSE(result->diagnostics.empty());
    for (const Diagnostic &found : result->diagnostics) {
      EXPECT_EQ(found.kind, "partial-barrier") << errorText(result->diagnostics);
      EXPECT_EQ(found.severity, Severity::Warning);
    }
    EXPECT_TRUE(mentions(result->diagnostics, "`bar.sync` is executed by 16 lanes of the warp while 16 others"));
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(words(result->outputs[0])[t], t / 16) << t;
  }
}

TEST(PartialBarrier, IsAFaultWhereHazardsAre) {
  EmulatorOptions options;
  options.strict = true;
  auto result = run(rounds(""), {u32Array(std::vector<uint32_t>(64))}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(hasErrors(result->diagnostics));
  EXPECT_EQ(result->diagnostics[0].kind, "partial-barrier");
}

TEST(PartialBarrier, OthersMayNotComeToAnotherOne) {
  auto result = run(rounds("bar.sync 0;\n"), {u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(hasErrors(result->diagnostics));
  EXPECT_EQ(result->diagnostics[0].kind, "divergent-instruction") << errorText(result->diagnostics);
}

TEST(PartialBarrier, IsOfBarriersAlone) {
  Kernel kernel = rounds("");
  kernel.body.replace(kernel.body.find("bar.sync 0;"), 11, "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;");
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(hasErrors(result->diagnostics));
  EXPECT_EQ(result->diagnostics[0].kind, "divergent-instruction") << errorText(result->diagnostics);
}

} // namespace
} // namespace lanescope::core::test
