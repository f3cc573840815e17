// Forms that ptxas takes although the syntax blocks of the PTX ISA do not list them: modifiers written twice or in
// another order, operands that are left out or wider. Each has the result of the form that the ISA lists.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

uint32_t floatBits(float value) { return std::bit_cast<uint32_t>(value); }

std::string refusal(const std::string &body, const std::string &target = "sm_90a") {
  Kernel kernel;
  kernel.target = target;
  kernel.body = body + "\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  return result ? "" : errorText(result.error());
}

TEST(PtxVariants, AModifierMayBeWrittenTwice) {
  const std::string two = "mov.f32 %f1, 0f40000000;\nmov.f32 %f2, 0fC0000000;\n"; // 2 and -2
  EXPECT_EQ(evaluate(0, two + "add.rn.sat.f32.sat %f3, %f1, %f1;\nmov.b32 %r1, %f3;"), floatBits(1));
  EXPECT_EQ(evaluate(0, two + "fma.rn.sat.f32.sat %f3, %f1, %f2, %f1;\nmov.b32 %r1, %f3;"), 0u);
  EXPECT_EQ(evaluate(0, two + "ex2.approx.approx.f32 %f3, %f1;\nmov.b32 %r1, %f3;"), floatBits(4));
  EXPECT_EQ(evaluate(0, "mov.f32 %f1, 0f40000000;\nmov.f32 %f2, 0f7FC00000;\n"
                        "min.NaN.NaN.f32 %f3, %f1, %f2;\nmov.b32 %r1, %f3;"),
            0x7FFFFFFFu);
  EXPECT_EQ(evaluate(static_cast<uint32_t>(-5), "max.relu.relu.s32 %r1, %r0, %r0;"), 0u);
  // The carry of the first sum goes through the second one to the third.
  EXPECT_EQ(evaluate(0xFFFFFFFF, "add.cc.cc.u32 %r2, %r0, 1;\naddc.cc.cc.u32 %r3, %r0, 0;\naddc.u32 %r1, %r3, 5;"), 6u);
  for (const char *twice : {"add.rn.ftz.ftz.f32 %f1, %f2, %f3;", "add.rn.rn.f32 %f1, %f2, %f3;",
                            "mul.lo.lo.s32 %r1, %r2, %r3;", "ld.global.v2.v2.f32 {%f1, %f2}, [%d50];"})
    EXPECT_NE(refusal(twice), "") << twice;
}

TEST(PtxVariants, AComparisonOfHalvesMayWriteTheLowerOneAlone) {
  // 1 and 2 against 2 and 1: only the lower half is less.
  const std::string both = "mov.b32 %r2, 0x40003C00;\nmov.b32 %r3, 0x3C004000;\nsetp.eq.u32 %p1, %r2, %r3;\n";
  EXPECT_EQ(evaluate(0, both + "setp.lt.f16x2 %p2, %r2, %r3;\nselp.u32 %r1, 7, 8, %p2;"), 7u);
  EXPECT_EQ(evaluate(0, both + "setp.gt.f16x2 %p2, %r2, %r3;\nselp.u32 %r1, 7, 8, %p2;"), 8u);
  EXPECT_EQ(evaluate(0, both + "setp.lt.or.ftz.f16x2 %p2, %r2, %r3, %p1;\nselp.u32 %r1, 7, 8, %p2;"), 7u);
  EXPECT_EQ(evaluate(0, both + "setp.lt.and.bf16x2 %p2, %r2, %r3, %p1;\nselp.u32 %r1, 7, 8, %p2;"), 8u);
}

TEST(PtxVariants, FourRegistersAreMovedTo128Bits) {
  const std::string four = ".reg .b128 %q<2>;\nmov.b32 %r2, 11;\nmov.b32 %r3, 22;\nmov.b32 %r4, 33;\nmov.b32 %r5, 44;\n"
                           "mov.b128 %q0, {%r2, %r3, %r4, %r5};\nmov.b128 %q1, %q0;\n";
  for (uint32_t part = 0; part < 4; ++part)
    EXPECT_EQ(evaluate(0, four + "mov.b128 {%r10, %r11, %r12, %r13}, %q1;\nmov.b32 %r1, %r" +
                              std::to_string(10 + part) + ";"),
              11 * (part + 1));
  EXPECT_EQ(evaluate(0, four + "mov.b128 {%d1, %d2}, %q1;\nshr.u64 %d2, %d2, 32;\ncvt.u32.u64 %r1, %d2;"), 44u);
  EXPECT_EQ(evaluate(0, four + "mov.b128 {%r10, _, %r10, _}, %q1;\nmov.b32 %r1, %r10;"), 33u);
}

TEST(PtxVariants, AWiderRegistersLowerBitsAreStored) {
  EXPECT_EQ(evaluate(0, ".reg .b128 %q0;\nmov.b64 %d1, 0x0000000180000007;\nmov.b128 %q0, {%d1, %d1};\n"
                        "st.global.cs.f32 [%d42], %q0;\nld.global.b32 %r1, [%d42];"),
            0x80000007u);
}

TEST(PtxVariants, AValueIsExtendedToAWiderRegister) {
  auto loaded = [](const std::string &load, const std::string &half) {
    return evaluate(0x8000FFFE, ".reg .b128 %q<2>;\nmov.b64 %d1, -1;\nmov.b128 %q0, {%d1, %d1};\nmov.b128 %q1, %q0;\n" +
                                    load + "mov.b128 {%d2, %d3}, %q0;\ncvt.u32.u64 %r1, " + half + ";");
  };
  EXPECT_EQ(loaded("ld.global.u16 %q0, [%d41];\n", "%d2"), 0xFFFEu);
  EXPECT_EQ(loaded("ld.global.u16 %q0, [%d41];\n", "%d3"), 0u);
  EXPECT_EQ(loaded("ld.global.s16 %q0, [%d41];\n", "%d3"), 0xFFFFFFFFu);
  EXPECT_EQ(loaded("ld.global.b32 %q0, [%d41];\n", "%d3"), 0u);
  EXPECT_EQ(loaded("ldu.global.v2.s16 {%q1, %q0}, [%d41];\n", "%d3"), 0xFFFFFFFFu);
  EXPECT_EQ(loaded("ldu.global.v2.b16 {%q0, %q1}, [%d41];\n", "%d3"), 0u);
}

TEST(PtxVariants, PartsInAnotherOrder) {
  const std::string six = "mov.f32 %f1, 0f40C00000;\nmov.f32 %f2, 0f40000000;\n"; // 6 and 2
  for (const char *order : {"div.approx.f32", "div.f32.approx", "div.ftz.approx.f32"})
    EXPECT_EQ(evaluate(0, six + order + " %f3, %f1, %f2;\nmov.b32 %r1, %f3;"), floatBits(3)) << order;
  EXPECT_EQ(evaluate(1, "setp.ne.u32 %p1, %r0, 0;\nbar.cta.red.u32.popc %r1, 1, %p1;"), 32u);
  for (const char *wrong :
       {"div.f32.full %f1, %f2, %f3;", "barrier.aligned.arrive 1, 64;", "set.b32.f32.ne %r1, %f2, %f3;"})
    EXPECT_NE(refusal(wrong), "") << wrong;
}

TEST(PtxVariants, AnAsynchronousStoreNeedNotRelease) {
  auto out =
      perLane(std::vector<uint32_t>(32, 5),
              "add.u32 %r2, %r0, 4;\nst.async.gpu.global.u32 [%d42], %r2;\nld.global.u32 %r1, [%d42];", "sm_100a");
  EXPECT_EQ(out, std::vector<uint32_t>(32, 9));
  EXPECT_NE(refusal("st.async.gpu.global.u32 [%d50], %r2;", "sm_90a"), "");
  EXPECT_NE(refusal("st.async.mmio.gpu.global.u32 [%d50], %r2;", "sm_100a"), "");
  EXPECT_NE(refusal("st.async.release.gpu.global.u32 [%d50], %d2;", "sm_100a"), "");
}

// PTX ISA, "Addresses as Operands": a shorter address is extended with zeros.
TEST(PtxVariants, AnAddressOf32BitsIsExtendedWithZeros) {
  Kernel kernel;
  kernel.body = "mov.u32 %r2, 0xFFFFFFF0;\nldu.global.u32 %r1, [%r2];\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_TRUE(mentions(result->diagnostics, "0xfffffff0")) << errorText(result->diagnostics);
  EXPECT_NE(refusal("ld.global.u32 %r1, [%r2];"), "");
}

TEST(PtxVariants, Sm80WidensAndRoundsBf16) {
  for (const char *form : {"cvt.f32.bf16 %f1, %h1;", "cvt.rn.bf16.f32 %h1, %f1;", "cvt.rz.relu.bf16.f32 %h1, %f1;"})
    EXPECT_EQ(refusal(form, "sm_80"), "") << form;
}

TEST(PtxVariants, AFormNeedsItsTarget) {
  struct Case {
    const char *body, *refused, *taken;
  };
  const Case cases[] = {
      {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "sm_80", "sm_89"},
      {"cvt.rn.f64.bf16 %g1, %h1;", "sm_89", "sm_90"},
      {"cvt.rs.bf16x2.f32 %r1, %f1, %f2, %r2;", "sm_120a", "sm_100a"},
      {"mov.b32 %r1, %clusterid.x;", "sm_89", "sm_90"},
      {"mov.b32 %r1, %aggr_smem_size;", "sm_80", "sm_90"},
      {"cp.async.bulk.commit_group;", "sm_89", "sm_90"},
      {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
       "{%f1, %f2, %f3, %f4};",
       "sm_80", "sm_89"},
      {"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, "
       "%r4}, {%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0;",
       "sm_80", "sm_89"},
      {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%g1, %g2, %g3, %g4}, {%g1, %g2, %g3, %g4}, {%g5, %g6}, {%g1, "
       "%g2, %g3, %g4};",
       "sm_89", "sm_90"},
      {"mbarrier.arrive.shared.b64 %d1, [%r1], %r2;", "sm_89", "sm_90"},
      {"cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2;", "sm_120", "sm_120f"},
      {"redux.sync.max.NaN.f32 %f1, %f2, -1;", "sm_110a", "sm_103a"},
      {"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
       "[%r1], [%r2];",
       "sm_100", "sm_100f"},
      {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d2, %r2, %p1, 1;", "sm_110a", "sm_100f"},
      {"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%r1], %d1, %d2, %r2, [%r3], [%r4], %p1;",
       "sm_100f", "sm_110a"},
      {"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f1, "
       "%f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0, %r6, {0, 0}, %r7, "
       "{0, 0};",
       "sm_120f", "sm_120a"},
  };
  for (const Case &one : cases) {
    const std::string body = std::string("bra END;\n") + one.body + "\nEND:";
    EXPECT_NE(refusal(body, one.refused).find("sm_"), std::string::npos) << one.body << refusal(body, one.refused);
    EXPECT_EQ(refusal(body, one.taken), "") << one.body;
  }
}

} // namespace
} // namespace lanescope::core::test
