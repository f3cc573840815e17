// Several accesses by one address register inspect its addresses once (Instr::rowKnown), and inspect them again after
// the register has changed.
#include "tests/unit/emulator/EmulatorSupport.h"

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

/// Runs perLane() on numbers(), with the shared-memory tile `smem`, in the fast mode and with checks.
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
  // Lane l's word holds the address of lane 31 - l's word, and lane 31 - l's word holds the address of lane l's.
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
  // The upper lanes load first and change their addresses; then all lanes load.
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
  // A generic register holds addresses of shared memory, and one offset leaves the array.
  expectLanes("mov.u64 %d1, smem;\ncvta.shared.u64 %d2, %d1;\nadd.s64 %d3, %d2, %d40;\nst.b32 [%d3], %r50;\n"
              "st.b32 [%d3+128], 7;\nld.b32 %r2, [%d3];\nld.b32 %r3, [%d3+128];\nadd.u32 %r1, %r2, %r3;",
              [](uint32_t l) { return l + 7; });
  Kernel kernel;
  kernel.body = "ld.global.b32 %r0, [%d50];\nld.global.b32 %r0, [%d50+4096];\nret;";
  auto result = run(kernel, {u32Array(numbers()), u32Array(numbers())});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "reads 4 bytes at byte 4096 of")) << errorText(result->diagnostics);
}

/// Lane 4 r + c's pair of words is the c-th pair of row r. There are eight rows of 64 words, as fragments of matrix
/// products lie.
std::string fragment(const std::string &to, const std::string &base, const std::string &width) {
  return "shr.u32 %r52, %r50, 2;\nand.b32 %r53, %r50, 3;\nshl.b32 %r53, %r53, 3;\nmad.lo.u32 %r54, %r52, 256, %r53;\n" +
         (width == "64" ? "cvt.u64.u32 " + to + ", %r54;\nadd.s64 " + to + ", " + to + ", " + base + ";\n"
                        : "add.u32 " + to + ", " + base + ", %r54;\n");
}

TEST(AddressRow, EveryFourLanesOfAFragmentAreFoundOnce) {
  for (bool instant : {true, false})
    for (bool shared : {false, true}) {
      Kernel kernel;
      kernel.dynamicSmem = 4096;
      kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
      std::string space = shared ? "shared" : "global", at = shared ? "%r40" : "%d43";
      kernel.body = "mov.u32 %r50, %tid.x;\nmov.u32 %r41, smem;\n" +
                    (shared ? fragment("%r40", "%r41", "32") : fragment("%d43", "%d51", "64"));
      // Four rounds, each of which ends with a change of the register. They store each lane's number and then what the
      // lane reads there.
      for (int n = 0; n < 4; ++n) {
        std::string offset = std::to_string(n % 2 * 32);
        kernel.body += "add.u32 %r1, %r50, " + std::to_string(100 * n) + ";\nst." + space + ".v2.b32 [" + at + "+" +
                       offset + "], {%r1, %r50};\nld." + space + ".v2.b32 {%r2, %r3}, [" + at + "+" + offset +
                       "];\nadd.u32 %r2, %r2, %r3;\nst." + space + ".v2.b32 [" + at + "+" + offset + "], {%r2, %r3};\n";
        if (n == 1)
          kernel.body += shared ? "add.u32 %r40, %r40, 64;\n" : "add.s64 %d43, %d43, 64;\n";
      }
      if (shared) // writes rows, too
        for (int n = 0; n < 16; ++n)
          kernel.body += "mad.lo.u32 %r5, %r50, 4, %r41;\nld.shared.b32 %r6, [%r5+" + std::to_string(128 * n) +
                         "];\nmul.wide.u32 %d1, %r50, 4;\nadd.s64 %d1, %d1, %d51;\nst.global.b32 [%d1+" +
                         std::to_string(128 * n) + "], %r6;\n";
      if (shared) // all of it is written before it is read
        kernel.body.insert(kernel.body.find("add.u32 %r1, %r50, 0"), [] {
          std::string zero = "mad.lo.u32 %r5, %r50, 4, %r41;\n";
          for (int n = 0; n < 16; ++n)
            zero += "st.shared.b32 [%r5+" + std::to_string(128 * n) + "], 0;\n";
          return zero + "bar.warp.sync -1;\n";
        }());
      if (shared)
        kernel.body.insert(kernel.body.find("mad.lo.u32 %r5, %r50, 4, %r41;\nld"), "bar.warp.sync -1;\n");
      kernel.body += "ret;";
      EmulatorOptions options;
      options.instant = instant;
      auto result = run(kernel, {u32Array(numbers()), u32Array(std::vector<uint32_t>(512))}, options);
      ASSERT_TRUE(result) << errorText(result.error());
      EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
      std::vector<uint32_t> out = words(result->outputs[1]), wanted(512);
      for (uint32_t l = 0; l < kLanes; ++l)
        for (uint32_t n = 0; n < 4; ++n) {
          uint32_t place = l / 4 * 64 + l % 4 * 2 + n * 8;
          wanted[place] = 2 * l + 100 * n;
          wanted[place + 1] = l;
        }
      EXPECT_EQ(out, wanted) << space << (instant ? ", fast" : ", with checks");
    }
}

TEST(AddressRow, OfAFragmentEachLaneIsLookedAt) {
  // One lane's four bytes lie beyond the rows of the array's last words; other addresses are not aligned.
  auto finding = [](const std::string &offset) {
    Kernel kernel;
    kernel.body = "mov.u32 %r50, %tid.x;\n" + fragment("%d43", "%d51", "64") +
                  "st.global.v2.b32 [%d43], {%r50, %r50};\n" + "st.global.v2.b32 [%d43+" + offset +
                  "], {%r50, %r50};\nret;";
    auto result = run(kernel, {u32Array(numbers()), u32Array(std::vector<uint32_t>(512))});
    return result ? errorText(result->diagnostics) : errorText(result.error());
  };
  EXPECT_EQ(finding("224"), "");
  EXPECT_NE(finding("232").find("writes 8 bytes at byte 2048 of"), std::string::npos) << finding("232");
  EXPECT_NE(finding("4").find("is not a multiple of 8"), std::string::npos) << finding("4");
  EXPECT_NE(finding("4096").find("bytes at byte 4096 of"), std::string::npos) << finding("4096");
}

TEST(AddressRow, FragmentsOfTwoWarpsThatMeetAreARace) {
  auto finding = [](const std::string &apart) {
    Kernel kernel;
    kernel.threads = 64;
    kernel.body = "mov.u32 %r49, %tid.x;\nand.b32 %r50, %r49, 31;\nshr.u32 %r48, %r49, 5;\n" +
                  fragment("%d43", "%d51", "64") + "mul.wide.u32 %d44, %r48, " + apart +
                  ";\nadd.s64 %d43, %d43, %d44;\n"
                  "st.global.v2.b32 [%d43], {%r49, %r49};\nst.global.v2.b32 [%d43+32], {%r49, %r49};\nret;";
    auto result = run(kernel, {u32Array(numbers()), u32Array(std::vector<uint32_t>(600))});
    return result ? errorText(result->diagnostics) : errorText(result.error());
  };
  EXPECT_EQ(finding("64"), "") << "each fills its part of the lines";
  EXPECT_NE(finding("32").find("without an order"), std::string::npos) << "the second's first is the first's second";
  EXPECT_NE(finding("0").find("without an order"), std::string::npos);
}

} // namespace
} // namespace lanescope::core::test
