// Hazards of unrolled code in PTX that names no source lines. They become one finding with a count, and separate
// findings if a barrier, a branch or another opcode lies between them.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// A warpgroup with 4 KiB of zeros in shared memory. A is in registers, and %d10 is the descriptor of B in shared
/// memory. `operands` comes before the barrier, and `body` after it.
Kernel warpgroup(const std::string &operands, const std::string &body) {
  Kernel kernel;
  kernel.threads = 128;
  kernel.dynamicSmem = 8192;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.body = ".reg .b32 %acc<8>;\n.reg .b32 %frag<4>;\nmov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\n"
                "mul.wide.u32 %d0, %r0, 4;\nmov.b64 %d1, smem;\nadd.s64 %d2, %d1, %d0;\nadd.s64 %d6, %d50, %d0;\n"
                "add.s64 %d3, %d51, %d0;\n@%p1 mbarrier.init.shared.b64 [smem+4096], 1;\n"
                "fence.mbarrier_init.release.cluster;\n";
  for (int n = 0; n < 8; ++n)
    kernel.body += "st.shared.b32 [%d2+" + std::to_string(512 * n) + "], 0;\n";
  for (const char *name : {"acc", "frag"})
    for (int n = 0; n < 4; ++n)
      kernel.body += std::string("mov.b32 %") + name + std::to_string(n) + ", 0;\n";
  kernel.body += "mov.u64 %d10, 0x0000000800080000;\nshr.u64 %d11, %d1, 4;\nor.b64 %d10, %d10, %d11;\n" + operands +
                 "bar.sync 0;\n" + body + "\nret;";
  return kernel;
}

Diagnostics told(const Kernel &kernel) {
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(1024, 3)), u32Array(std::vector<uint32_t>(128))});
  return result ? result->diagnostics : result.error();
}

const std::string kStart = "wgmma.fence.sync.aligned;\n",
                  kProduct = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%acc0, %acc1, %acc2, %acc3}, {%frag0, "
                             "%frag1, %frag2, %frag3}, %d10, 1, 1, 1, 0;\n",
                  kCommit = "wgmma.commit_group.sync.aligned;\n", kWait = "wgmma.wait_group.sync.aligned 0;\n",
                  kFilled = "cp.async.ca.shared.global [%d2], [%d6], 4;\ncp.async.commit_group;\n"
                            "cp.async.wait_group 0;\n";

TEST(UnrolledFindings, ProductsOfOneGroup) {
  Diagnostics once = told(warpgroup(kFilled, kStart + kProduct + kCommit + kWait));
  ASSERT_EQ(once.size(), 1u) << errorText(once);
  EXPECT_FALSE(mentions(once, "the same holds")) << errorText(once);
  Diagnostics found =
      told(warpgroup(kFilled, kStart + kProduct + "add.s64 %d12, %d10, 0;\n" + kProduct + kProduct + kCommit + kWait));
  ASSERT_EQ(found.size(), 1u) << errorText(found);
  EXPECT_EQ(found[0].kind, "unfenced-cp-async");
  EXPECT_TRUE(mentions(found, "the same holds of 2 more `wgmma.mma_async")) << errorText(found);
}

TEST(UnrolledFindings, GroupsWithAWaitBetweenThemAreTwo) {
  std::string group = kStart + kProduct + kProduct + kCommit + kWait;
  Diagnostics found = told(warpgroup(kFilled, group + group));
  ASSERT_EQ(found.size(), 2u) << errorText(found);
  EXPECT_TRUE(mentions(found, "the same holds of 1 more")) << errorText(found);
}

/// Thread 0 fills four rows that all threads have read.
std::string overwrites(const std::string &between) {
  std::string text = "ld.shared.b32 %r1, [%d2];\nst.global.b32 [%d3], %r1;\nbar.sync 0;\n"
                     "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+4096], 64;\n";
  for (int row = 0; row < 4; ++row)
    text += "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+" +
            std::to_string(128 * row) + "], [%d50], 16, [smem+4096];\n" + (row == 1 ? between : "");
  return text + "V: mbarrier.try_wait.parity.shared.b64 %p4, [smem+4096], 0;\n@!%p4 bra.uni V;\n";
}

TEST(UnrolledFindings, CopiesIntoOneTile) {
  Diagnostics found = told(warpgroup("", overwrites("")));
  ASSERT_EQ(found.size(), 1u) << errorText(found);
  EXPECT_EQ(found[0].kind, "unfenced-overwrite");
  EXPECT_TRUE(mentions(found, "the same holds of 3 more")) << errorText(found);
  EXPECT_EQ(told(warpgroup("", overwrites("bar.sync 0;\n"))).size(), 2u) << "a barrier";
  EXPECT_EQ(told(warpgroup("", overwrites("bra.uni M;\nM:\n"))).size(), 2u) << "a branch and a label";
  EXPECT_EQ(told(warpgroup("", overwrites("fence.acq_rel.cta;\n"))).size(), 2u) << "a fence";
  EXPECT_EQ(told(warpgroup("", overwrites("add.u32 %r2, %r1, 1;\n"))).size(), 1u) << "arithmetic";
}

TEST(UnrolledFindings, OtherOpcodesStandAlone) {
  std::string text = overwrites("");
  size_t last = text.rfind("bulk.shared::cluster");
  text.replace(last, 20, "bulk.shared::cta");
  Diagnostics found = told(warpgroup("", text));
  ASSERT_EQ(found.size(), 2u) << errorText(found);
  EXPECT_TRUE(mentions(found, "the same holds of 2 more `cp.async.bulk.shared::cluster")) << errorText(found);
}

} // namespace
} // namespace lanescope::core::test
