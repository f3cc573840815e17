// The initial registers of a block: constants, and zero if the block reads before it writes, whatever the previous
// block on the same host thread left there.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// Word 0 of each of four blocks' outputs, which is %r1.
std::vector<uint32_t> ofBlocks(const std::string &body, bool instant) {
  Kernel kernel;
  kernel.blocks = 4;
  kernel.body = "mov.u32 %r50, %ctaid.x;\nmul.wide.u32 %d40, %r50, 128;\nadd.s64 %d41, %d51, %d40;\n"
                "mov.u32 %r51, %tid.x;\nmul.wide.u32 %d40, %r51, 4;\nadd.s64 %d41, %d41, %d40;\n"
                "setp.eq.u32 %p0, %r50, 0;\n" +
                body + "\nst.global.b32 [%d41], %r1;\nret;";
  EmulatorOptions options;
  options.threads = 1;
  options.instant = instant;
  auto result = run(kernel, {u32Array({5}), u32Array(std::vector<uint32_t>(128))}, options);
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return {};
  }
  std::vector<uint32_t> all = words(result->outputs[1]), out;
  for (size_t n = 0; n < all.size(); n += 32)
    out.push_back(all[n]);
  return out;
}

void expectBlocks(const std::string &body, const std::vector<uint32_t> &wanted) {
  for (bool instant : {false, true})
    EXPECT_EQ(ofBlocks(body, instant), wanted) << body << (instant ? ", fast" : "");
}

TEST(FreshRegisters, WhatOneWayWritesIsZeroOnTheOther) {
  expectBlocks("@!%p0 bra OTHER;\nmov.b32 %r2, 77;\nOTHER:\nadd.u32 %r1, %r2, 1;", {78, 1, 1, 1});
}

TEST(FreshRegisters, AGuardedWriteIsNone) {
  expectBlocks("@%p0 mov.b32 %r2, 77;\nadd.u32 %r1, %r2, 1;", {78, 1, 1, 1});
}

TEST(FreshRegisters, WhatALoopCarriesBeginsAtZero) {
  // The first round reads what the last round writes.
  expectBlocks("mov.b32 %r1, 0;\nmov.b32 %r3, 0;\nLOOP:\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r2, %r3, 10;\n"
               "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 3;\n@%p1 bra LOOP;",
               {21, 21, 21, 21});
}

TEST(FreshRegisters, PredicatesToo) {
  expectBlocks("@!%p0 bra OTHER;\nsetp.eq.u32 %p2, %r50, %r50;\nOTHER:\nselp.b32 %r1, 1, 2, %p2;", {1, 2, 2, 2});
}

TEST(FreshRegisters, ConstantsStay) {
  // The same numbers are operands of several widths, next to a register that later holds them.
  expectBlocks("mov.b32 %r2, 7;\nadd.u32 %r2, %r2, 7;\ncvt.u64.u32 %d1, %r2;\nadd.u64 %d1, %d1, 7;\n"
               "cvt.u32.u64 %r1, %d1;\nmov.b32 %r2, 99;",
               {21, 21, 21, 21});
}

TEST(FreshRegisters, SumsOfAWgmmaAreReadByIt) {
  // Block 0 leaves 1.0 in the accumulators; the other blocks add to registers that they never wrote.
  Kernel kernel;
  kernel.threads = 128;
  kernel.blocks = 2;
  kernel.dynamicSmem = 4096;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.body = "mov.u32 %r50, %ctaid.x;\nmul.wide.u32 %d40, %r50, 512;\nadd.s64 %d41, %d51, %d40;\n"
                "mov.u32 %r51, %tid.x;\nmul.wide.u32 %d40, %r51, 4;\nadd.s64 %d41, %d41, %d40;\n"
                "mov.u32 %r2, smem;\nmad.lo.u32 %r3, %r51, 4, %r2;\nmov.b32 %r4, 0;\n"
                "st.shared.b32 [%r3], 0;\nst.shared.b32 [%r3+512], 0;\nst.shared.b32 [%r3+1024], 0;\n"
                "st.shared.b32 [%r3+1536], 0;\nst.shared.b32 [%r3+2048], 0;\nfence.proxy.async.shared::cta;\n"
                "bar.sync 0;\nsetp.eq.u32 %p0, %r50, 0;\n@!%p0 bra MULTIPLY;\n"
                "mov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f3F800000;\n"
                "mov.f32 %f3, 0f3F800000;\nMULTIPLY:\nshr.u32 %r3, %r2, 4;\ncvt.u64.u32 %d3, %r3;\nor.b64 %d3, %d3, " +
                std::to_string(128ull / 16 << 16 | 256ull / 16 << 32) +
                ";\nadd.u64 %d4, %d3, 128;\nsetp.ne.u64 %p2, %d3, 0;\nwgmma.fence.sync.aligned;\n"
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d3, %d4, %p2, 1, 1, 0, 0;\n"
                "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
                "st.global.f32 [%d41], %f0;\nret;";
  EmulatorOptions options;
  options.threads = 1;
  options.instant = true;
  auto result = run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(256))}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  std::vector<uint32_t> out = words(result->outputs[1]);
  EXPECT_EQ(out[0], 0x3F800000u);
  EXPECT_EQ(out[128], 0u);
}

} // namespace
} // namespace lanescope::core::test
