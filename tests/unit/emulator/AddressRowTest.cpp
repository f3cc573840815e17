// Accesses by one register look at its addresses once (Instr::rowKnown): never longer than they stay what they are.
#include "tests/unit/emulator/Support.h"

#include <functional>

namespace lanescope::core::test {
namespace {

constexpr uint32_t kLanes = 32;

std::vector<uint32_t> numbers() {
  std::vector<uint32_t> out(kLanes);
  for (uint32_t l = 0; l < kLanes; ++l)
    out[l] = 1000 + l * l;
  return out;
}

/// perLane() of numbers(), with the tile `smem` of shared memory, in the fast mode and with checks.
void expectLanes(const std::string &body, const std::function<uint32_t(uint32_t)> &expected) {
  for (bool instant : {true, false}) {
    Kernel kernel;
    kernel.dynamicSmem = 4096;
    kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
    kernel.body = "mov.u32 %r50, %tid.x;\nmul.wide.u32 %d40, %r50, 4;\nadd.s64 %d41, %d50, %d40;\n"
                  "add.s64 %d42, %d51, %d40;\n" +
                  body + "\nst.global.b32 [%d42], %r1;\nret;\n";
    EmulatorOptions options;
    options.instant = instant;
    auto result = run(kernel, {u32Array(numbers()), u32Array(std::vector<uint32_t>(kLanes))}, options);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    std::vector<uint32_t> out = words(result->outputs[1]);
    for (uint32_t l = 0; l < kLanes; ++l)
      EXPECT_EQ(out[l], expected(l)) << "lane " << l << (instant ? ", fast" : ", with checks");
  }
}

TEST(AddressRow, IsLookedAtAgainBehindAWrite) {
  expectLanes("ld.global.b32 %r2, [%d41];\nxor.b64 %d41, %d41, 4;\nld.global.b32 %r3, [%d41];\n"
              "ld.global.b32 %r4, [%d41];\nmad.lo.u32 %r1, %r2, 3, %r3;\nadd.u32 %r1, %r1, %r4;",
              [](uint32_t l) { return 3 * numbers()[l] + 2 * numbers()[l ^ 1]; });
}

TEST(AddressRow, IsLookedAtAgainBehindALoadIntoTheRegister) {
  // Lane l's word has the address of lane 31 - l's, and that one's the address of lane l's.
  expectLanes(
      "mov.u32 %r2, smem;\nmad.lo.u32 %r3, %r50, 4, %r2;\nsub.u32 %r4, 31, %r50;\nmad.lo.u32 %r5, %r4, 4, %r2;\n"
      "st.shared.b32 [%r3], %r5;\nst.shared.b32 [%r3+128], %r50;\nbar.sync 0;\n"
      "ld.shared.b32 %r3, [%r3];\nld.shared.b32 %r1, [%r3+128];",
      [](uint32_t l) { return 31 - l; });
}

TEST(AddressRow, OfALoopIsThatOfThisTurn) {
  expectLanes("mov.b32 %r1, 0;\nmov.b32 %r2, 0;\nLOOP:\nld.global.b32 %r3, [%d41];\nld.global.b32 %r4, [%d41];\n"
              "add.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r4;\nxor.b64 %d41, %d41, 8;\nadd.u32 %r2, %r2, 1;\n"
              "setp.lt.u32 %p1, %r2, 3;\n@%p1 bra LOOP;",
              [](uint32_t l) { return 4 * numbers()[l] + 2 * numbers()[l ^ 2]; });
}

TEST(AddressRow, IsNotThatOfSomeLanesOrOfAGuardedAccess) {
  // The upper lanes look, and move on; then all.
  expectLanes("mov.b32 %r3, 0;\nld.global.b32 %r2, [%d41];\nsetp.lt.u32 %p1, %r50, 16;\n@%p1 bra MEET;\n"
              "xor.b64 %d41, %d41, 4;\nld.global.b32 %r3, [%d41];\nMEET:\nld.global.b32 %r4, [%d41];\n"
              "add.u32 %r1, %r2, %r3;\nadd.u32 %r1, %r1, %r4;",
              [](uint32_t l) { return numbers()[l] + (l < 16 ? numbers()[l] : 2 * numbers()[l ^ 1]); });
  expectLanes("mov.b32 %r1, 0;\nmov.b32 %r2, 0;\nLOOP:\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 ld.global.b32 %r3, [%d41];\n"
              "ld.global.b32 %r4, [%d41];\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r4;\nxor.b64 %d41, %d41, 4;\n"
              "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 2;\n@%p2 bra LOOP;",
              [](uint32_t l) { return 3 * numbers()[l] + numbers()[l ^ 1]; });
}

TEST(AddressRow, OfOtherMemoryIsAnotherOne) {
  // A generic register that stands for shared memory, and one offset that leaves the array.
  expectLanes("mov.u64 %d1, smem;\ncvta.shared.u64 %d2, %d1;\nadd.s64 %d3, %d2, %d40;\nst.b32 [%d3], %r50;\n"
              "st.b32 [%d3+128], 7;\nld.b32 %r2, [%d3];\nld.b32 %r3, [%d3+128];\nadd.u32 %r1, %r2, %r3;",
              [](uint32_t l) { return l + 7; });
  Kernel kernel;
  kernel.body = "ld.global.b32 %r0, [%d50];\nld.global.b32 %r0, [%d50+4096];\nret;";
  auto result = run(kernel, {u32Array(numbers()), u32Array(numbers())});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "reads 4 bytes at byte 4096 of")) << errorText(result->diagnostics);
}

} // namespace
} // namespace lanescope::core::test
