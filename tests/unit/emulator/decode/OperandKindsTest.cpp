// Operands that ptxas refuses: registers or numbers of another kind, and addresses of another space.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

std::string refusal(const std::string &body, const std::string &target = "sm_90a") {
  Kernel kernel;
  kernel.target = target;
  kernel.body = ".reg .u32 %i<4>;\n.reg .f16x2 %x<4>;\n.local .b32 own[4];\n" + body + "\nret;\n";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(32)), u32Array(std::vector<uint32_t>(32))});
  return result ? "" : errorText(result.error());
}

TEST(OperandKinds, ARegisterHoldsWhatItWasDeclaredFor) {
  for (const char *body :
       {"add.u32 %r0, %f0, %r1;", "add.s32 %f0, %r0, %r1;", "mov.u32 %r0, %f0;", "add.f32 %f0, %i0, %f1;",
        "add.f16x2 %f0, %f1, %f2;", "ld.global.f32 %g0, [%d50];", "ld.global.u32 %f0, [%d50];",
        "st.global.u8 [%d50], %f0;", "atom.global.add.u32 %f0, [%d50], %r0;", "add.u32 %x0, %r0, %r1;",
        "cvt.rzi.u16.f64 %g0, %g1;", "selp.s32 %f0, %f1, %f2, %p0;"})
    EXPECT_NE(refusal(body).find("is declared"), std::string::npos) << body << refusal(body);
  for (const char *body : {"and.b32 %r0, %f0, %r1;", "mov.b32 %r0, %f0;", "mov.f32 %f0, %r0;", "add.u32 %i0, %r0, %r1;",
                           "add.f32 %f0, %r0, %f1;", "add.f16x2 %x0, %r1, %x2;", "st.global.f32 [%d50], %r0;"})
    EXPECT_EQ(refusal(body), "") << body;
}

TEST(OperandKinds, ANumberIsOfTheInstructionsKind) {
  for (const char *body : {"mov.f32 %f0, 0;", "setp.lt.f32 %p0, %f0, 0;", "max.f32 %f0, %f1, 0x0;",
                           "add.u32 %r0, %r1, 0f3f800000;", "mov.b32 %r0, 1.0;"})
    EXPECT_NE(refusal(body), "") << body;
  for (const char *body : {"mov.f32 %f0, 0f00000000;", "mov.b32 %r0, 0f3f800000;", "mov.f32 %f0, 0d3ff0000000000000;",
                           "mov.b64 %d0, 1.0;"})
    EXPECT_EQ(refusal(body), "") << body << refusal(body);
}

TEST(OperandKinds, AnAddressIsOfItsSpace) {
  EXPECT_NE(refusal("ld.global.b32 %r0, [%r1];").find("has 32 bits; an address of `ld.global.b32` has 64"),
            std::string::npos);
  EXPECT_NE(refusal("ld.global.b32 %r0, [4];").find("for local memory alone"), std::string::npos);
  EXPECT_NE(refusal("ld.global.u64 %d0, [p0];").find("`ld.param` reads it"), std::string::npos);
  EXPECT_NE(refusal("ld.global.b32 %r0, [%f0];").find("cannot hold an address"), std::string::npos);
  EXPECT_NE(refusal("mov.b64 %d0, %tid.x;").find("`%tid.x` is an integer of 32 bits"), std::string::npos);
  EXPECT_NE(refusal("mov.f32 %f0, %laneid;").find("is an integer of 32 bits"), std::string::npos);
  // The decoder once wrote this constant past the end of a 16-bit register.
  EXPECT_NE(refusal("mov.u16 %h0, %reserved_smem_offset_begin;").find("is an integer of 32 bits"), std::string::npos);
  EXPECT_EQ(refusal("st.local.b32 [own], %r0;\nmov.u16 %h0, %tid.x;\nmov.u64 %d0, %gridid;"), "");
}

TEST(Forms, TheNearestFormIsNamed) {
  EXPECT_NE(refusal("atom.global.inc.s32 %r0, [%d50], %r1;").find("`.s32` does not go with what stands before it"),
            std::string::npos);
  EXPECT_NE(refusal("atom.global.inc.s32 %r0, [%d50], %r1;").find("(.inc|.dec).u32"), std::string::npos);
  EXPECT_NE(refusal("mbarrier.arrive.release.shared.b64 %d0, [%r0];").find("does not exist"), std::string::npos);
  EXPECT_NE(refusal("red.async.relaxed.cluster.global.add.u32 [%d50], %r1;").find("does not exist"), std::string::npos);
  EXPECT_NE(refusal("elect.sync %r0|%p0, %r1;", "sm_80").find("needs `.target sm_90` or a newer one"),
            std::string::npos);
  EXPECT_NE(refusal("fence.acq_rel.cluster;", "sm_89").find("clusters came with it"), std::string::npos);
  EXPECT_NE(refusal("setp.hi.s32 %p0, %r0, %r1;"), "");
  EXPECT_EQ(refusal("setp.hi.u32 %p0, %r0, %r1;"), "");
}

/// PTX ISA, "addc", "madc": the carry flag belongs to 16 bits.
TEST(Carries, OfSixteenBits) {
  auto out = perLane({0xFFFF, 1, 0x8000, 5}, R"(
    add.cc.u32 %r2, 0xffffffff, 1;
    cvt.u16.u32 %h0, %r0;
    mov.b16 %h1, 0;
    addc.u16 %h2, %h0, %h1;
    cvt.u32.u16 %r1, %h2;
  )");
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 2, 0x8001, 6}));
}

/// PTX ISA, "set": with two halves, each half of the result is 0xffff if its comparison holds.
TEST(Set, OfTwoHalvesIsAMaskOfHalves) {
  auto out = perLane({0x3C00'0000, 0x0000'3C00, 0x3C00'3C00, 0}, "mov.b32 %r2, 0;\nset.gt.u32.f16x2 %r1, %r0, %r2;\n");
  EXPECT_EQ(out, (std::vector<uint32_t>{0xFFFF0000, 0x0000FFFF, 0xFFFFFFFF, 0}));
}

} // namespace
} // namespace lanescope::core::test
