// The warps of a warpgroup write operands for their wgmma without a barrier. On an H200 no write is missed, however
// late a warp comes (50,000 cycles), because a wgmma waits for its four warps. The PTX ISA does not say so.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

struct Parts {
  std::string write = "@%p0 st.shared.b32 [%r5], %r6;\n", beforeWrites, behindWrites = "fence.proxy.async;\n",
              behindFence, behindWgmma;
};

/// A is ones; each warp writes 64 bytes of B, which are twos. D is then 32.
RunResult ran(const Parts &parts, uint64_t seed = 0) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 128;
  kernel.declarations = ".shared .align 128 .b8 a[2048];\n.shared .align 128 .b8 b[256];";
  kernel.body = R"(
mov.u32 %r0, %tid.x;
shr.u32 %r1, %r0, 5;
mov.u32 %r3, a;
mad.lo.u32 %r2, %r0, 16, %r3;
mov.u32 %r3, 0x3C003C00;
st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};
fence.proxy.async;
bar.sync 0;
setp.eq.u32 %p1, %r1, 2;
)" + parts.beforeWrites +
                R"(
and.b32 %r4, %r0, 31;
setp.lt.u32 %p0, %r4, 16;
mad.lo.u32 %r5, %r1, 16, %r4;
mov.u32 %r6, b;
mad.lo.u32 %r5, %r5, 4, %r6;
mov.u32 %r6, 0x40004000;
)" + parts.write +
                parts.behindWrites +
                R"(
wgmma.fence.sync.aligned;
)" + parts.behindFence +
                R"(
mov.u32 %r7, a;
shr.u32 %r7, %r7, 4;
mov.u32 %r8, b;
shr.u32 %r8, %r8, 4;
cvt.u64.u32 %d0, %r7;
cvt.u64.u32 %d1, %r8;
mov.u64 %d2, 0x0000001000080000;
or.b64 %d0, %d0, %d2;
or.b64 %d1, %d1, %d2;
mov.f32 %f0, 0f00000000;
mov.f32 %f1, %f0;
mov.f32 %f2, %f0;
mov.f32 %f3, %f0;
setp.ne.u32 %p2, 0, 1;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, %p2, 1, 1, 0, 0;
)" + parts.behindWgmma +
                R"(
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mul.wide.u32 %d3, %r0, 16;
add.s64 %d3, %d50, %d3;
st.global.v4.f32 [%d3], {%f0, %f1, %f2, %f3};
ret;)";
  EmulatorOptions options;
  options.seed = seed;
  std::vector<uint32_t> twos(512, 0x40004000u); // the source of the copies
  kernel.params = 2;
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(512)), u32Array(twos)}, options);
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? *result : RunResult{};
}

/// Warp 2 comes last.
constexpr char kLate[] = "@%p1 nanosleep.u32 20000;\n";

TEST(WarpgroupOrder, WithoutABarrierIsAHazard) {
  for (const char *delay : {"", kLate})
    for (uint64_t seed : {0, 1, 2, 3}) {
      RunResult result = ran({.beforeWrites = delay}, seed);
      ASSERT_FALSE(result.diagnostics.empty()) << delay << seed;
      for (const Diagnostic &found : result.diagnostics) {
        EXPECT_EQ(found.kind, "warpgroup-order") << errorText(result.diagnostics);
        EXPECT_EQ(found.severity, Severity::Warning);
      }
      EXPECT_TRUE(mentions(result.diagnostics, " of `b`, shared address")) << errorText(result.diagnostics);
      EXPECT_EQ(words(result.outputs[0]), std::vector<uint32_t>(512, std::bit_cast<uint32_t>(32.0f)));
    }
}

TEST(WarpgroupOrder, ABarrierMakesItRight) {
  RunResult result = ran({.beforeWrites = kLate, .behindWrites = "fence.proxy.async;\nbar.sync 0;\n"});
  EXPECT_TRUE(result.diagnostics.empty()) << errorText(result.diagnostics);
}

/// Each warp copies its part of B and waits only for its own copies, as CUTLASS' tutorial wgmma_sm90 does.
TEST(WarpgroupOrder, OfCopiesThatEachWarpHasWaitedForIsAHazard) {
  const std::string copy = "@%p0 cp.async.ca.shared.global [%r5], [%d51], 4;\ncp.async.commit_group;\n",
                    wait = "cp.async.wait_group 0;\n";
  for (const char *delay : {"", kLate})
    for (uint64_t seed : {0, 1, 2, 3}) {
      RunResult result = ran({.write = copy, .beforeWrites = delay, .behindWrites = wait}, seed);
      EXPECT_FALSE(hasErrors(result.diagnostics)) << errorText(result.diagnostics);
      EXPECT_TRUE(mentions(result.diagnostics, "copies there and waits for the copy")) << errorText(result.diagnostics);
      EXPECT_EQ(words(result.outputs[0]), std::vector<uint32_t>(512, std::bit_cast<uint32_t>(32.0f)));
      result = ran({.write = copy, .beforeWrites = delay, .behindWrites = ""}, seed);
      EXPECT_TRUE(hasErrors(result.diagnostics)) << "no warp waits";
    }
}

TEST(WarpgroupOrder, AMissingFenceIsAFault) {
  for (const char *delay : {"", kLate})
    for (uint64_t seed : {0, 1, 2, 3}) {
      RunResult result = ran({.beforeWrites = delay, .behindWrites = ""}, seed);
      ASSERT_TRUE(hasErrors(result.diagnostics)) << delay << seed;
      EXPECT_FALSE(mentions(result.diagnostics, "writes and fences")) << errorText(result.diagnostics);
      EXPECT_TRUE(mentions(result.diagnostics, "missing-proxy-fence") ||
                  mentions(result.diagnostics, "is not fenced") || mentions(result.diagnostics, "without an order"))
          << errorText(result.diagnostics);
    }
}

TEST(WarpgroupOrder, WhatComesBehindTheFenceIsAFault) {
  // The bytes are written again after the fence, before the warp's part.
  for (uint64_t seed : {0, 1, 2, 3}) {
    RunResult result = ran({.behindFence = "mov.u32 %r6, 0x44004400;\n@%p0 st.shared.b32 [%r5], %r6;\n"}, seed);
    EXPECT_TRUE(hasErrors(result.diagnostics)) << errorText(result.diagnostics);
  }
  // They are written again after the warp's part.
  for (uint64_t seed : {0, 1, 2, 3}) {
    RunResult result = ran({.behindWgmma = "mov.u32 %r6, 0x44004400;\n@%p0 st.shared.b32 [%r5], %r6;\n"}, seed);
    EXPECT_TRUE(hasErrors(result.diagnostics)) << errorText(result.diagnostics);
  }
}

} // namespace
} // namespace lanescope::core::test
