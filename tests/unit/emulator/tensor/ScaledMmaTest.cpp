// mma.sync of sm_120a with block scales, against sums computed here. The values are small powers of two, so that all
// results are exact.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <cmath>

namespace lanescope::core::test {
namespace {

/// Element e of lane l of the result, for A and B of ones. `perLaneScale` computes %r20 (A's scales) and %r21 (B's)
/// from %r10.
std::vector<float> product(const std::string &opcode, uint32_t ones, const std::string &perLaneScale,
                           const std::string &selectA, const std::string &selectB, int element) {
  std::string body = "mov.u32 %r10, %laneid;\nshr.u32 %r11, %r10, 2;\nand.b32 %r12, %r10, 3;\n";
  for (int r = 30; r < 36; ++r)
    body += "mov.b32 %r" + std::to_string(r) + ", " + std::to_string(ones) + ";\n";
  for (int f = 1; f < 5; ++f)
    body += "mov.f32 %f" + std::to_string(f) + ", 0f3F000000;\n"; // 0.5
  body += perLaneScale + opcode + " {%f1, %f2, %f3, %f4}, {%r30, %r31, %r32, %r33}, {%r34, %r35}, {%f1, %f2, %f3, %f4}";
  body += (selectA.empty() ? "" : ", %r20, " + selectA + ", %r21, " + selectB) + ";\n";
  body += "mov.b32 %r1, %f" + std::to_string(element + 1) + ";\n";
  std::vector<float> out;
  for (uint32_t word : perLane(std::vector<uint32_t>(32), body, "sm_120a"))
    out.push_back(std::bit_cast<float>(word));
  return out;
}

constexpr uint32_t kOneE4m3 = 0x38383838, kOneE2m1 = 0x22222222, kByteE2m1 = 0x08080808; // 0b0010 in bits 2 to 5

TEST(ScaledMma, BytesWithoutScales) {
  const std::string op = "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.";
  for (auto [types, ones] : {std::pair("e4m3.e4m3.f32", kOneE4m3), std::pair("e2m1.e2m1.f32", kByteE2m1)})
    for (int e = 0; e < 4; ++e)
      EXPECT_EQ(product(op + types, ones, "", "", "", e), std::vector<float>(32, 32.5F)) << types;
}

/// Row r has the scale 2^(r % 4), and column c has 2^(c % 3). The other pair of lanes and the other bytes hold
/// different scales.
TEST(ScaledMma, ARowsScaleIsInTheLanesThatTheSelectorNames) {
  const std::string op =
      "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0";
  for (uint32_t thread : {0U, 1U})
    for (uint32_t byte : {0U, 2U}) {
      std::string scales = R"(
        and.b32 %r13, %r12, 1; shl.b32 %r13, %r13, 3; add.u32 %r13, %r13, %r11;   // its row
        and.b32 %r14, %r13, 3; add.u32 %r14, %r14, 127;
        shr.u32 %r15, %r12, 1;
        setp.ne.u32 %p1, %r15, )" +
                           std::to_string(thread) + R"(;
        @%p1 mov.u32 %r14, 140;
        shl.b32 %r20, %r14, )" +
                           std::to_string(8 * byte) + R"(;
        rem.u32 %r16, %r11, 3; add.u32 %r16, %r16, 127;
        setp.ne.u32 %p1, %r12, 3;
        @%p1 mov.u32 %r16, 140;
        shl.b32 %r21, %r16, 8;
      )";
      for (uint32_t e = 0; e < 4; ++e) {
        auto out = product(op, kOneE4m3, scales, "{" + std::to_string(byte) + ", " + std::to_string(thread) + "}",
                           "{1, 3}", static_cast<int>(e));
        for (uint32_t l = 0; l < 32; ++l) {
          uint32_t row = l / 4 + 8 * (e / 2), column = 2 * (l % 4) + e % 2;
          EXPECT_EQ(out[l], std::ldexp(32.0F, static_cast<int>(row % 4 + column % 3)) + 0.5F) << "lane " << l;
        }
      }
    }
}

TEST(ScaledMma, FourBitFloatsHaveAScaleForEachBlock) {
  const std::string op =
      "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3";
  // The scales in ue4m3 are 1, 2, 1, 4 along K for all rows, and 1 for all columns.
  auto out = product(op, kOneE2m1, "mov.b32 %r20, 0x48384038;\nmov.b32 %r21, 0x38383838;\n", "{0, 0}", "{0, 0}", 0);
  EXPECT_EQ(out, std::vector<float>(32, 16.0F * (1 + 2 + 1 + 4) + 0.5F));
  const std::string two = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0";
  out = product(two, kOneE2m1, "mov.b32 %r20, 0x80810000;\nmov.b32 %r21, 0x7f7f7f7f;\n", "{2, 0}", "{0, 0}", 3);
  EXPECT_EQ(out, std::vector<float>(32, 32.0F * (4 + 2) + 0.5F));
}

// PTX ISA 9.1, "Release notes": powers of two as scales of sixteen elements.
TEST(ScaledMma, PowersOfTwoScaleSixteenElementsSincePtx91) {
  Kernel kernel;
  kernel.target = "sm_120a";
  kernel.body =
      "mov.b32 %r30, 0x22222222;\nmov.b32 %r20, 0x81808180;\nmov.b32 %r21, 0x7F7F7F7F;\nmov.f32 %f1, 0f3F000000;\n"
      "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0 {%f2, "
      "%f3, %f4, %f5}, {%r30, %r30, %r30, %r30}, {%r30, %r30}, {%f1, %f1, %f1, %f1}, %r20, {0, 0}, %r21, {0, 0};\n"
      "st.global.f32 [%d51], %f5;\nret;";
  std::vector<Array> arrays = {u32Array({0}), u32Array({0})};
  auto of = [&](std::string version) {
    std::string ptx = kernel.ptx();
    ptx.replace(ptx.find("9.0"), 3, version);
    return emulate(Source::make("k.ptx", ptx), launchOf(kernel, arrays), arrays, {});
  };
  auto result = of("9.1");
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(std::bit_cast<float>(words(result->outputs[1])[0]), 16.0F * (2 + 4 + 2 + 4) + 0.5F);
  auto older = of("9.0");
  ASSERT_FALSE(older);
  EXPECT_TRUE(mentions(older.error(), "`.version 9.1`")) << errorText(older.error());
}

/// A has the scales 1, 2, 4, 8 in its four bytes, and B the scale 1 in the lanes that thread-id 3 names.
std::vector<float> selectedByRegisters(const std::string &selectors, const std::string &a, const std::string &b) {
  const std::string op = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e3m2.e2m3.f32.ue8m0";
  const std::string scales = "mov.b32 %r20, 0x8281807f;\nsetp.eq.u32 %p1, %r12, 3;\nselp.u32 %r21, 0x7f, 0xff, %p1;\n";
  return product(op, 0x0C0C0C0C, scales + selectors, a, b, 0);
}

TEST(ScaledMma, SelectorsMayBeRegisters) {
  const float ones = 32 * 1.0F * 1.5F; // 0x0C is 1 in e3m2 and 1.5 in e2m3
  EXPECT_EQ(selectedByRegisters("", "{2, 1}", "{0, 3}"), std::vector<float>(32, 4 * ones + 0.5F));
  EXPECT_EQ(selectedByRegisters("mov.u16 %h1, 3;\nmov.u16 %h2, 1;\nmov.u16 %h3, 0;\nmov.u16 %h4, 3;\n", "{%h1, %h2}",
                                "{%h3, %h4}"),
            std::vector<float>(32, 8 * ones + 0.5F));
  EXPECT_EQ(selectedByRegisters("mov.u16 %h1, 1;\n", "{%h1, 0}", "{0, 3}"), std::vector<float>(32, 2 * ones + 0.5F));
}

TEST(ScaledMma, RegistersThatSelectNoScaleAreFaults) {
  auto faultOf = [](const std::string &selectors) {
    Kernel kernel;
    kernel.target = "sm_120a";
    kernel.body =
        "mov.u32 %r10, %laneid;\nmov.b32 %r1, 0;\nmov.f32 %f1, 0f00000000;\nmov.u16 %h1, 0;\nmov.u16 %h2, 0;\n" +
        selectors +
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, "
        "{%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f1, %f1, %f1, %f1}, %r1, {%h1, %h2}, %r1, {0, 0};\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    if (!result)
      return errorText(result.error());
    if (result->diagnostics.empty())
      return std::string();
    EXPECT_EQ(result->diagnostics[0].kind, "scale-selector");
    return result->diagnostics[0].message;
  };
  EXPECT_EQ(faultOf(""), "");
  EXPECT_EQ(faultOf("mov.u16 %h1, 1;\n"), "`{1, 0}` selects no scale: the byte is a multiple of 2 up to "
                                          "2, the thread less than 2");
  EXPECT_EQ(faultOf("mov.u16 %h2, 2;\n"), "`{0, 2}` selects no scale: the byte is a multiple of 2 up to "
                                          "2, the thread less than 2");
  EXPECT_EQ(faultOf("and.b32 %r10, %r10, 1;\ncvt.u16.u32 %h2, %r10;\n"),
            "the selector `{byte-id, thread-id}` of a scale has several values in the lanes of its warp");
}

TEST(ScaledMma, WhatDoesNotExistIsRefused) {
  auto refusal = [](const std::string &form, const std::string &target) {
    Kernel kernel;
    kernel.target = target;
    kernel.body = form + " {%f1, %f2, %f3, %f4}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f1, %f2, %f3, %f4}, %r6, {4, 0}, "
                         "%r7, {0, 0};\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    return result ? "" : errorText(result.error());
  };
  const std::string op = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0";
  EXPECT_NE(refusal(op, "sm_120a").find("`{4, 0}` selects no scale"), std::string::npos) << refusal(op, "sm_120a");
  EXPECT_NE(refusal(op, "sm_90a").find("is for `.target sm_120a`"), std::string::npos) << refusal(op, "sm_90a");
}

} // namespace
} // namespace lanescope::core::test
