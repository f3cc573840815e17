// Video instructions: selected bytes and lanes, saturation, secondary operations (PTX ISA 9.7.18).
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

uint32_t video(uint32_t a, uint32_t b, uint32_t c, const std::string &instruction) {
  return evaluate(0, "mov.b32 %r2, " + std::to_string(a) + ";\nmov.b32 %r3, " + std::to_string(b) + ";\nmov.b32 %r4, " +
                         std::to_string(c) + ";\n" + instruction);
}

TEST(Video, ScalarsTakePartsAndExtendThem) {
  EXPECT_EQ(video(0x80FF, 1, 0, "vadd.s32.s32.s32 %r1, %r2.b1, %r3;"), 0xFFFFFF81u); // -128 + 1
  EXPECT_EQ(video(0x80FF, 1, 0, "vadd.u32.u32.u32 %r1, %r2.b1, %r3;"), 0x81u);
  EXPECT_EQ(video(5, 9, 0, "vabsdiff.u32.u32.u32 %r1, %r2, %r3;"), 4u);
  EXPECT_EQ(video(5, 9, 0, "vsub.u32.u32.u32.sat %r1, %r2, %r3;"), 0u);
  EXPECT_EQ(video(5, 9, 100, "vmax.s32.s32.s32.add %r1, %r2, %r3, %r4;"), 109u);
  EXPECT_EQ(video(300, 9, 0xAABBCCDD, "vadd.u32.u32.u32.sat %r1.b2, %r2, %r3, %r4;"), 0xAAFFCCDDu);
  EXPECT_EQ(video(0x12340000, 0, 7, "vmin.u32.u32.u32.max %r1, %r2.h1, %r3, %r4;"), 7u);
}

// PTX ISA, "Scalar Video Instructions": without a part of d, optMerge returns the result as it is.
TEST(Video, AResultThatIsWholeLeavesNothingOfTheFourthOperand) {
  EXPECT_EQ(video(3, 5, 0xABCDEF, "vadd.s32.s32.s32 %r1, %r2, %r3, %r4;"), 8u);
  EXPECT_EQ(video(3, 5, 0xABCDEF, "vsub.u32.u32.u32.sat %r1, %r2, %r3, %r4;"), 0u);
  EXPECT_EQ(video(3, 5, 0xABCDEF, "vabsdiff.u32.u32.u32 %r1, %r2.h0, %r3.b0, %r4;"), 2u);
  EXPECT_EQ(video(3, 5, 0xABCDEF, "vmin.s32.s32.s32 %r1, %r2, %r3, %r4;"), 3u);
  EXPECT_EQ(video(3, 5, 0xABCDEF, "vmax.u32.u32.u32 %r1, %r2, %r3, %r4;"), 5u);
  EXPECT_EQ(video(3, 2, 0xABCDEF, "vshl.u32.u32.u32.clamp %r1, %r2, %r3, %r4;"), 12u);
  EXPECT_EQ(video(12, 2, 0xABCDEF, "vshr.u32.u32.u32.wrap %r1, %r2, %r3, %r4;"), 3u);
  EXPECT_EQ(video(3, 5, 0xABCDEF, "vset.u32.u32.lt %r1, %r2, %r3, %r4;"), 1u);
  EXPECT_EQ(video(3, 5, 0xABCDEF, "vadd.s32.s32.s32 %r1.b0, %r2, %r3, %r4;"), 0xABCD08u); // a part is merged
}

TEST(Video, ShiftsClampOrWrap) {
  EXPECT_EQ(video(1, 33, 0, "vshl.u32.u32.u32.clamp %r1, %r2, %r3;"), 0u);
  EXPECT_EQ(video(1, 33, 0, "vshl.u32.u32.u32.wrap %r1, %r2, %r3;"), 2u);
  EXPECT_EQ(video(0x80000000, 31, 0, "vshr.s32.s32.u32.clamp %r1, %r2, %r3;"), 0xFFFFFFFFu);
}

TEST(Video, MultiplyAddNegatesScalesAndSaturates) {
  EXPECT_EQ(video(3, 5, 7, "vmad.s32.s32.s32 %r1, %r2, %r3, %r4;"), 22u);
  EXPECT_EQ(video(3, 5, 7, "vmad.s32.s32.s32 %r1, -%r2, %r3, %r4;"), static_cast<uint32_t>(-8));
  EXPECT_EQ(video(3, 5, 7, "vmad.s32.s32.s32 %r1, %r2, %r3, -%r4;"), 8u);
  EXPECT_EQ(video(3, 5, 7, "vmad.u32.u32.u32.po %r1, %r2, %r3, %r4;"), 23u);
  EXPECT_EQ(video(1 << 20, 1 << 20, 0, "vmad.u32.u32.u32.sat %r1, %r2, %r3, %r4;"), 0xFFFFFFFFu);
  EXPECT_EQ(video(256, 256, 0, "vmad.u32.u32.u32.shr7 %r1, %r2, %r3, %r4;"), 512u);
}

TEST(Video, LanesAreChosenAndMaskedAndSummed) {
  EXPECT_EQ(video(0x01020304, 0x10203040, 0, "vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;"), 0x11223344u);
  EXPECT_EQ(video(0xFF02FF04, 0x10203040, 0, "vadd4.u32.u32.u32.sat %r1, %r2, %r3, %r4;"), 0xFF22FF44u);
  EXPECT_EQ(video(0x01020304, 0x10203040, 0xAAAAAAAA, "vsub4.u32.u32.u32 %r1.b1, %r3, %r2, %r4;"), 0xAAAA2DAAu);
}

TEST(Video, CompareAndAverage) {
  EXPECT_EQ(video(0x01050309, 0x01040309, 0, "vset4.u32.u32.gt %r1, %r2, %r3, %r4;"), 0x00010000u);
  EXPECT_EQ(video(0x01050309, 0x01040309, 10, "vset4.u32.u32.eq.add %r1, %r2, %r3, %r4;"), 13u);
  EXPECT_EQ(video(0x00030002, 0x00040003, 0, "vavrg2.u32.u32.u32 %r1, %r2, %r3, %r4;"), 0x00040003u);
  EXPECT_EQ(video(0x00030002, 0x00010005, 100, "vabsdiff2.u32.u32.u32.add %r1, %r2, %r3, %r4;"), 105u);
}

TEST(Video, WhatDoesNotFitIsRefused) {
  for (const char *form : {"vadd4.u32.u32.u32 %r1, %r2, %r3;", "vadd.u32.u32.u32 %r1.b9, %r2, %r3, %r4;",
                           "vadd.u32.u32.u32 %r1, -%r2, %r3;", "vadd2.u32.u32.u32 %r1, %r2.h9, %r3, %r4;"}) {
    Kernel kernel;
    kernel.body = std::string(form) + "\nret;";
    EXPECT_FALSE(run(kernel, {u32Array({0}), u32Array({0})})) << form;
  }
}

} // namespace
} // namespace lanescope::core::test
