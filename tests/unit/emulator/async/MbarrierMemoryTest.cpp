// Shared memory apart from its data: mbarriers and their initialisation, generic addresses, the end of the memory, and
// unwritten bytes.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

const std::string kLoad =
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d50], 128, [bar];\n";
const std::string kWait = "W: mbarrier.try_wait.parity.shared.b64 %p6, [bar], 0;\n@!%p6 bra.uni W;\n";

RunResult ran(const std::string &body, uint32_t threads = 64, uint32_t dynamicSmem = 0) {
  Kernel kernel;
  kernel.threads = threads;
  kernel.dynamicSmem = dynamicSmem;
  kernel.declarations = ".shared .align 128 .b8 tile[256];\n.shared .align 8 .b64 bar;\n"
                        ".extern .shared .align 16 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p1, %r0, 32;\n" + body + "ret;";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(64, 5)), u32Array(std::vector<uint32_t>(64))});
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? *result : RunResult{};
}

std::string kinds(const RunResult &result) {
  std::string out;
  for (const Diagnostic &one : result.diagnostics)
    out += one.kind + (one.severity == Severity::Error ? "!" : "") + " ";
  return out;
}

TEST(MbarrierMemory, IsInvalidatedBeforeItHoldsData) {
  const std::string before = "@%p0 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n";
  for (const std::string write : {"@%p0 st.shared.u32 [bar], 1;\n", "@%p1 st.shared.u32 [bar+4], 1;\n",
                                  "@%p1 atom.shared.add.u32 %r1, [bar], 1;\n"}) {
    EXPECT_EQ(kinds(ran(before + write)), "mbarrier-reused ") << write;
    EXPECT_EQ(kinds(ran(before + "@%p0 mbarrier.inval.shared.b64 [bar];\nbar.sync 0;\n" + write)), "") << write;
  }
  // Rows that do not touch the mbarrier, and rows that overwrite it.
  const std::string row = "mul.lo.u32 %r1, %r0, 4;\nmov.u32 %r2, tile;\nadd.u32 %r1, %r1, %r2;\n";
  EXPECT_EQ(kinds(ran(before + row + "st.shared.u32 [%r1], %r0;\n")), "");
  EXPECT_EQ(kinds(ran(before + row + "bar.sync 0;\nst.shared.u32 [%r1+8], %r0;\n")), "mbarrier-reused ");
}

TEST(MbarrierMemory, InitialisationIsFencedForOthersCopies) {
  const std::string init = "@%p0 mbarrier.init.shared.b64 [bar], 1;\n",
                    fence = "fence.mbarrier_init.release.cluster;\n",
                    use = "bar.sync 0;\n@!%p1 bra W;\n" + kLoad + kWait;
  EXPECT_EQ(kinds(ran(init + use)), "unfenced-mbarrier-init ");
  EXPECT_EQ(ran(init + use).diagnostics.front().kind, "unfenced-mbarrier-init");
  EXPECT_EQ(kinds(ran(init + fence + use)), "");
  EXPECT_EQ(kinds(ran(init + "fence.proxy.async.shared::cta;\n" + use)), "");
  EXPECT_EQ(kinds(ran(fence + init + use)), "unfenced-mbarrier-init "); // the fence comes too early
}

TEST(GenericAddress, InSharedIsAHazard) {
  const std::string address =
      "mov.u64 %d1, tile;\ncvta.shared.u64 %d2, %d1;\nmov.u64 %d3, bar;\ncvta.shared.u64 %d4, %d3;\n";
  for (const std::string use : {"@%p0 st.shared.u32 [%d2], 1;\n", "@%p0 mbarrier.init.shared.b64 [%d4], 1;\n",
                                "@%p0 atom.shared.add.u32 %r1, [%d2], 1;\n"}) {
    RunResult result = ran(address + use);
    EXPECT_EQ(result.diagnostics.front().kind, "generic-shared-address") << errorText(result.diagnostics);
    EXPECT_EQ(result.diagnostics.front().severity, Severity::Warning);
  }
  EXPECT_EQ(kinds(ran(address + "@%p0 st.u32 [%d2], 1;\n")), "");
  // The value goes to the place that the address names.
  RunResult result = ran(address + "@%p0 st.shared.u32 [%d2+4], 9;\n@%p0 ld.shared.u32 %r1, [tile+4];\n"
                                   "@%p0 st.global.u32 [%d51], %r1;\n");
  EXPECT_EQ(words(result.outputs[1])[0], 9u);
}

TEST(SharedMemory, MayEndInRegistersThatNobodyTakes) {
  const std::string write = "mov.u32 %r2, smem;\n@%p0 st.shared.v2.u32 [%r2], {3, 4};\nbar.sync 0;\n",
                    load = "@%p0 ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2];\n@%p0 st.global.u32 [%d51], %r11;\n";
  RunResult result = ran(write + load, 64, 8);
  EXPECT_EQ(kinds(result), "");
  EXPECT_EQ(words(result.outputs[1])[0], 4u);
  EXPECT_EQ(kinds(ran(write + load + "@%p0 st.global.u32 [%d51+4], %r12;\n", 64, 8)), "shared-out-of-bounds! ");
}

TEST(SharedMemory, UnwrittenIsToldWhenItIsSent) {
  const std::string send = "cp.async.bulk.global.shared::cta.bulk_group [%d51], [tile], 128;\n"
                           "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";
  EXPECT_EQ(kinds(ran("@!%p0 bra E;\n" + send + "E: ")), "uninitialised-shared! ");
  const std::string row = "mul.lo.u32 %r1, %r0, 4;\nmov.u32 %r2, tile;\nadd.u32 %r1, %r1, %r2;\n"
                          "st.shared.u32 [%r1], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n";
  EXPECT_EQ(kinds(ran(row + "@!%p0 bra E;\n" + send + "E: ")), "");
}

} // namespace
} // namespace lanescope::core::test
