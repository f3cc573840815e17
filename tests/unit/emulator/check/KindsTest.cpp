// Diagnostic kinds of PTX and of its runs that other tests check by their messages only, and the count of omitted
// diagnostics.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::core::test {
namespace {

/// The kind of the first error in the body, before or during its run.
std::string kindOf(const std::string &body) {
  Kernel kernel;
  kernel.body = body;
  auto result = run(kernel, {u32Array({1, 2}), u32Array({0, 0})});
  if (!result)
    return result.error().front().kind;
  return result->diagnostics.empty() ? "" : result->diagnostics.front().kind;
}

TEST(Kinds, OfPtx) {
  EXPECT_EQ(kindOf("add.u32 %r0 %r1;\nret;"), "ptx-syntax");
  EXPECT_EQ(kindOf("add.u32 %r0, %d1, %r2;\nret;"), "ptx-operand");
  EXPECT_EQ(kindOf("add.u32 %r0, nowhere, %r2;\nret;"), "ptx-operand");
}

TEST(Kinds, OfRuns) {
  EXPECT_EQ(kindOf("mov.u32 %r2, 7;\nTABLE: .branchtargets A, B;\nbrx.idx %r2, TABLE;\nA: ret;\nB: ret;"), "branch");
  EXPECT_EQ(kindOf("mov.b64 %d1, 4096;\nld.param.b32 %r1, [p0+4096];\nret;"), "param-out-of-bounds");
  EXPECT_EQ(kindOf(".local .b32 spill[4];\nmov.u64 %d1, spill;\nld.local.b32 %r1, [%d1+1024];\nret;"),
            "local-out-of-bounds");
}

TEST(Kinds, ACopyOfMoreThanItHolds) {
  Kernel kernel;
  kernel.dynamicSmem = 64;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.body = "mov.u32 %r1, 8;\ncp.async.ca.shared.global [smem], [%d50], 4, %r1;\ncp.async.wait_all;\nret;";
  auto result = run(kernel, {u32Array({1, 2}), u32Array({0, 0})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.front().kind, "cp-async");
}

// Each block forgets another copy, so that there are more places than are shown.
TEST(Kinds, WarningsThatAreLeftOutAreCounted) {
  auto diagnostics = [](uint32_t blocks) {
    Kernel kernel;
    kernel.blocks = blocks;
    kernel.dynamicSmem = 2048;
    kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
    kernel.body = "mov.u32 %r0, %tid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra DONE;\nmov.u32 %r9, %ctaid.x;\n"
                  "mbarrier.init.shared.b64 [smem+1024], 1;\n"
                  "mbarrier.arrive.expect_tx.shared.b64 _, [smem+1024], 128;\n";
    for (uint32_t n = 0; n < blocks; ++n)
      kernel.body += text("setp.ne.u32 %p2, %r9, ", n, ";\n@%p2 bra SKIP", n,
                          ";\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%d50], 128, "
                          "[smem+1024];\nSKIP",
                          n, ":\n");
    kernel.body += "DONE: ret;";
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(32)), u32Array({0, 0})});
    EXPECT_TRUE(result) << errorText(result.error());
    return result ? result->diagnostics : Diagnostics();
  };
  Diagnostics all = diagnostics(20);
  EXPECT_EQ(all.size(), 20u);
  for (const Diagnostic &one : all)
    EXPECT_EQ(one.kind, "unfinished-copy");
  Diagnostics more = diagnostics(25);
  ASSERT_EQ(more.size(), 21u);
  EXPECT_EQ(more.back().kind, "findings-left-out");
  EXPECT_EQ(more.back().severity, Severity::Warning);
  EXPECT_EQ(more.back().message, "the findings of 5 places more are left out, from this one on");
}

} // namespace
} // namespace lanescope::core::test
