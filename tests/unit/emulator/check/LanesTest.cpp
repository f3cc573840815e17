// Operations that the emulator does for all lanes of a warp at once give the same as lane by lane: shuffles by
// constants, rows of addresses at equal distances, matrices of 8 x 8 elements.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

std::vector<uint32_t> counting(uint32_t count = 32) {
  std::vector<uint32_t> out(count);
  for (uint32_t n = 0; n < count; ++n)
    out[n] = 1000 + 7 * n;
  return out;
}

TEST(Lanes, ShufflesByConstantsAndByRegisters) {
  for (const char *mode : {"up", "down", "bfly", "idx"})
    for (uint32_t amount : {0u, 1u, 2u, 3u, 5u, 12u, 16u, 31u, 33u})
      for (uint32_t clamp : {31u, 0u, 0x181fu, 0x1c03u, 7u}) {
        auto body = [&](const std::string &b, const std::string &c) {
          return "mov.u32 %r2, " + std::to_string(amount) + ";\nmov.u32 %r3, " + std::to_string(clamp) +
                 ";\nshfl.sync." + mode + ".b32 %r1|%p1, %r0, " + b + ", " + c +
                 ", -1;\n@%p1 add.u32 %r1, %r1, 100000;";
        };
        EXPECT_EQ(perLane(counting(), body(std::to_string(amount), std::to_string(clamp))),
                  perLane(counting(), body("%r2", "%r3")))
            << mode << " " << amount << " " << clamp;
      }
  auto turned = perLane(counting(), "shfl.sync.bfly.b32 %r1, %r0, 21, 31, -1;");
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(turned[l], 1000 + 7 * (l ^ 21)) << l;
}

/// Lane l's word of the input is at start + l * stride.
TEST(Lanes, LoadsAtEqualDistances) {
  struct Case {
    uint32_t start;
    int stride;
  };
  for (Case c : {Case{0, 0}, {20, 4}, {124, -4}, {0, 8}, {4, 132}, {31 * 132, -132}})
    for (bool wide : {false, true}) {
      Kernel kernel;
      kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d2, %d51, %d1;\n"
                    "mul.wide.s32 %d3, %r0, " +
                    std::to_string(c.stride) + ";\nadd.s64 %d3, %d3, %d50;\n";
      if (!wide) { // through shared memory, with 32-bit addresses
        kernel.declarations = ".shared .align 16 .b8 tile[4224];";
        kernel.body += "mov.u32 %r1, 0;\nCOPY: mul.wide.u32 %d4, %r1, 4;\nadd.s64 %d4, %d4, %d50;\nadd.s64 %d4, %d4, "
                       "%d1;\nld.global.b32 %r2, [%d4];\nmov.u32 %r3, tile;\nadd.u32 %r4, %r1, %r0;\n"
                       "mad.lo.u32 %r3, %r4, 4, %r3;\nst.shared.b32 [%r3], %r2;\nadd.u32 %r1, %r1, 32;\n"
                       "setp.lt.u32 %p1, %r1, 1056;\n@%p1 bra COPY;\nmov.u32 %r3, tile;\nmad.lo.s32 %r3, %r0, " +
                       std::to_string(c.stride) + ", %r3;\nbar.warp.sync -1;\nld.shared.b32 %r5, [%r3+" +
                       std::to_string(c.start) + "];\n";
      } else {
        kernel.body += "ld.global.b32 %r5, [%d3+" + std::to_string(c.start) + "];\n";
      }
      kernel.body += "st.global.b32 [%d2], %r5;\nret;";
      auto result = run(kernel, {u32Array(counting(32 * 33)), u32Array(std::vector<uint32_t>(32))});
      ASSERT_TRUE(result) << errorText(result.error());
      EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
      auto out = words(result->outputs[1]);
      for (int l = 0; l < 32; ++l)
        EXPECT_EQ(out[static_cast<size_t>(l)], 1000 + 7 * ((c.start + static_cast<uint32_t>(l * c.stride)) / 4))
            << c.start << " " << c.stride << " " << wide << " " << l;
    }
}

TEST(Lanes, StoresAtEqualDistances) {
  for (int stride : {0, 4, 8, 132}) {
    Kernel kernel;
    kernel.params = 1;
    kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.s32 %d3, %r0, " + std::to_string(stride) +
                  ";\nadd.s64 %d3, %d3, %d50;\nadd.u32 %r0, %r0, 1;\nst.global.b32 [%d3], %r0;\nret;";
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(32 * 33))});
    ASSERT_TRUE(result) << errorText(result.error());
    auto out = words(result->outputs[0]);
    std::vector<uint32_t> expected(32 * 33);
    for (uint32_t l = 0; l < 32; ++l) // the last lane wins
      expected[l * static_cast<uint32_t>(stride) / 4] = l + 1;
    EXPECT_EQ(out, expected) << stride;
  }
}

TEST(Lanes, RowsThatLeaveAnArrayOrAreMisaligned) {
  for (auto [address, word] : {std::pair<const char *, const char *>{"132", "which has 128 bytes"},
                               {"-4", "that start 4 bytes before buffer 0"},
                               {"2", "not a multiple of 4"}}) {
    Kernel kernel;
    kernel.params = 1;
    kernel.body = std::string("mov.u32 %r0, %tid.x;\nmul.wide.u32 %d3, %r0, 4;\nadd.s64 %d3, %d3, %d50;\n"
                              "ld.global.b32 %r1, [%d3+") +
                  address + "];\nret;";
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(32))});
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(mentions(result->diagnostics, word)) << errorText(result->diagnostics);
  }
}

TEST(Lanes, MatricesAndTheirTransposes) {
  // Element e of matrix m is 64 * m + e; a lane's register holds two of them.
  for (bool transposed : {false, true}) {
    Kernel kernel;
    kernel.declarations = ".shared .align 16 .b8 tile[1024];";
    kernel.body = std::string("mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 16;\nmul.wide.u32 %d2, %r0, 4;\n"
                              "add.s64 %d3, %d50, %d1;\nadd.s64 %d4, %d51, %d2;\nmov.u32 %r1, tile;\n"
                              "mad.lo.u32 %r2, %r0, 16, %r1;\nld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%d3];\n"
                              "st.shared.v4.b32 [%r2], {%r3, %r4, %r5, %r6};\nbar.sync 0;\n"
                              "ldmatrix.sync.aligned.m8n8.x4") +
                  (transposed ? ".trans" : "") +
                  ".shared.b16 {%r7, %r8, %r9, %r10}, [%r2];\nst.global.b32 [%d4], %r7;\n"
                  "st.global.b32 [%d4+128], %r8;\nst.global.b32 [%d4+256], %r9;\nst.global.b32 [%d4+384], %r10;\n" +
                  "bar.sync 0;\nstmatrix.sync.aligned.m8n8.x4" + (transposed ? ".trans" : "") +
                  ".shared.b16 [%r2], {%r7, %r8, %r9, %r10};\nbar.sync 0;\n"
                  "ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [%r2];\nadd.s64 %d5, %d51, %d1;\n"
                  "st.global.v4.b32 [%d5+512], {%r3, %r4, %r5, %r6};\nret;";
    std::vector<uint32_t> in(128);
    for (uint32_t n = 0; n < 128; ++n)
      in[n] = 2 * n | (2 * n + 1) << 16;
    auto result = run(kernel, {u32Array(in), u32Array(std::vector<uint32_t>(256))});
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    auto out = words(result->outputs[1]);
    for (uint32_t n = 0; n < 128; ++n) {
      uint32_t matrix = n / 32, row = n % 32 / 4, column = n % 4 * 2;
      auto element = [&](uint32_t r, uint32_t c) { return 64 * matrix + (transposed ? 8 * c + r : 8 * r + c); };
      EXPECT_EQ(out[n], element(row, column) | element(row, column + 1) << 16) << transposed << " " << n;
      EXPECT_EQ(out[128 + n], in[n]) << transposed << " " << n; // the way back
    }
  }
}

} // namespace
} // namespace lanescope::core::test
