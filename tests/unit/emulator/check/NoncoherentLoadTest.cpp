// Loads through the read-only cache (`ld.global.nc`) of what the kernel itself has written.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// Two warps: each thread stores `value` into its word of the first array; after a barrier, it loads the word of the
/// other warp's lane with `load`. The array holds 5 before.
Result<RunResult> exchanged(const std::string &load, const std::string &value) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d1, %d50, %d0;\nxor.b32 %r1, %r0, 32;\n"
                "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d2, %d50, %d2;\nadd.s64 %d3, %d51, %d0;\nst.global.u32 [%d1], " +
                value + ";\nbar.sync 0;\n" + load + " %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;";
  return run(kernel, {u32Array(std::vector<uint32_t>(64, 5)), u32Array(std::vector<uint32_t>(64))});
}

TEST(NoncoherentLoad, OfWhatTheKernelWroteIsAFault) {
  auto result = exchanged("ld.global.nc.u32", "%r0");
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].kind, "noncoherent-load");
  EXPECT_EQ(result->diagnostics[0].severity, Severity::Error);
  EXPECT_TRUE(mentions(result->diagnostics, "the cache of such loads gives an older value"));
}

TEST(NoncoherentLoad, OfItsOwnThreadsWriteToo) {
  Kernel kernel;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d1, %d50, %d0;\nst.global.u32 [%d1], %r0;\n"
                "ld.global.nc.u32 %r2, [%d1];\nadd.s64 %d3, %d51, %d0;\nst.global.u32 [%d3], %r2;\nret;";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(32, 5)), u32Array(std::vector<uint32_t>(32))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u) << errorText(result->diagnostics);
  EXPECT_EQ(result->diagnostics[0].kind, "noncoherent-load");
}

TEST(NoncoherentLoad, OfAnotherBlocksWriteBehindAFlag) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.blocks = 2;
  kernel.params = 3;
  kernel.body =
      "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p1, %r0, 1;\n@%p1 bra READ;\nst.global.u32 [%d50], 7;\n"
      "st.release.gpu.global.u32 [%d51], 1;\nret;\nREAD:\nld.acquire.gpu.global.u32 %r1, [%d51];\n"
      "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra READ;\nld.global.nc.u32 %r2, [%d50];\nst.global.u32 [%d52], %r2;\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u) << errorText(result->diagnostics);
  EXPECT_EQ(result->diagnostics[0].kind, "noncoherent-load");
}

TEST(NoncoherentLoad, OfAnArrayThatIsOnlyReadOrKeepsItsValues) {
  for (auto [load, value] : {std::pair("ld.global.u32", "%r0"), std::pair("ld.global.nc.u32", "5")}) {
    auto result = exchanged(load, value);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << load << errorText(result->diagnostics);
  }
}

} // namespace
} // namespace lanescope::core::test
