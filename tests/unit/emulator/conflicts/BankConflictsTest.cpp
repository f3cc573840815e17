// Bank conflicts are charged: the modelled time falls after a user has followed a note about them.
#include "layouts/cost/SmemAccess.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <array>

namespace lanescope::core::test {
namespace {

/// A warp stores one word per lane, `stride` bytes apart, `times` times, and loads it once.
EmulatorStatistics accesses(uint32_t stride, int times, bool instant = false, std::string *note = nullptr) {
  Kernel kernel;
  kernel.dynamicSmem = 8192;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.lo.u32 %r1, %r0, " + std::to_string(stride) +
                ";\nmov.u32 %r2, smem;\nadd.u32 %r1, %r1, %r2;\n";
  for (int n = 0; n < times; ++n)
    kernel.body += "st.shared.u32 [%r1], %r0;\n";
  kernel.body +=
      "ld.shared.u32 %r3, [%r1];\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d1, %d51, %d0;\nst.global.u32 [%d1], %r3;\nret;";
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(32)), u32Array(std::vector<uint32_t>(32))};
  EmulatorStatistics statistics;
  EmulatorOptions options;
  options.instant = instant;
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options, &statistics);
  EXPECT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  if (note)
    *note = result->note;
  return statistics;
}

TEST(BankConflicts, TakeACycleForEachWavefrontBeyondTheFirst) {
  uint64_t none = accesses(4, 8).cycles;
  EXPECT_EQ(accesses(8, 8).cycles, none + 9 * 1);
  EXPECT_EQ(accesses(16, 8).cycles, none + 9 * 3);
  EXPECT_EQ(accesses(128, 8).cycles, none + 9 * 31);
  EXPECT_EQ(accesses(132, 8).cycles, none); // a word of padding in each row
}

TEST(BankConflicts, TheNoteCountsThem) {
  std::string note;
  accesses(128, 8, false, &note);
  EXPECT_NE(note.find("(warps lost 279 to bank conflicts; L2, DRAM and spills are not included)"), std::string::npos)
      << note;
  accesses(4, 8, false, &note);
  EXPECT_NE(note.find("(warps lost 0 to bank conflicts;"), std::string::npos) << note;
  accesses(4, 8, true, &note);
  EXPECT_NE(note.find("(bank conflicts, L2, DRAM and spills are not included)"), std::string::npos) << note;
}

TEST(BankConflicts, OfRowsAreThoseOfTheSameLanesInAnyOrder) {
  // If all lanes are in a row, the emulator looks at their distance only. If two lanes have changed places, it looks at
  // all addresses. Both cost the same.
  auto cycles = [](uint32_t stride, uint32_t flip, bool wide) {
    Kernel kernel;
    kernel.dynamicSmem = 16384;
    kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
    kernel.body = "mov.u32 %r0, %tid.x;\nxor.b32 %r3, %r0, " + std::to_string(flip) + ";\nmul.lo.u32 %r1, %r3, " +
                  std::to_string(stride) + ";\nmov.u32 %r2, smem;\nadd.u32 %r1, %r1, %r2;\ncvt.u64.u32 %d1, %r1;\n";
    for (int n = 0; n < 4; ++n)
      kernel.body += std::string("st.shared.u32 [") + (wide ? "%d1" : "%r1") + "], %r0;\n";
    kernel.body += "ret;";
    std::vector<Array> arrays{u32Array({0}), u32Array({0})};
    EmulatorStatistics statistics;
    auto result = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, {}, &statistics);
    EXPECT_TRUE(result) << errorText(result.error());
    return statistics.cycles;
  };
  for (uint32_t stride : {4, 8, 12, 16, 32, 64, 128, 132, 256, 384})
    for (bool wide : {false, true})
      EXPECT_EQ(cycles(stride, 0, wide), cycles(stride, 1, wide)) << stride << (wide ? ", wide" : "");
}

/// One instruction loads rows with many distances from many places, one row after another.
TEST(BankConflicts, OfRowsOfOneInstructionAreThoseOfEachRow) {
  constexpr uint32_t kRounds = 40;
  struct Load {
    uint32_t bytes;
    const char *opcode, *to;
  };
  for (const Load &load : {Load{1, "u8", "%r9"}, Load{2, "u16", "%h1"}, Load{4, "u32", "%r9"},
                           Load{8, "v2.u32", "{%r9, %r10}"}, Load{16, "v4.u32", "{%r9, %r10, %r11, %r12}"}}) {
    std::string bytes = std::to_string(load.bytes);
    Kernel kernel;
    kernel.dynamicSmem = 16384;
    kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
    kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r2, smem;\nmov.b32 %r5, 0;\nL:\nmul.lo.u32 %r7, %r5, 7;\n"
                  "rem.u32 %r7, %r7, 13;\nadd.u32 %r7, %r7, 1;\nmul.lo.u32 %r7, %r7, " +
                  bytes + ";\nmad.lo.u32 %r8, %r0, %r7, %r2;\nmad.lo.u32 %r8, %r5, " + bytes + ", %r8;\nld.shared." +
                  load.opcode + " " + load.to + ", [%r8];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, " +
                  std::to_string(kRounds) + ";\n@%p1 bra L;\nret;";
    layouts::SmemOp op;
    op.kind = layouts::SmemOp::Kind::Load;
    op.bytes = static_cast<int>(load.bytes);
    int64_t expected = 0;
    for (uint32_t round = 0; round < kRounds; ++round) {
      std::array<int32_t, 32> addresses;
      for (uint32_t lane = 0; lane < 32; ++lane)
        addresses[lane] = static_cast<int32_t>(1024 + (lane * (round * 7 % 13 + 1) + round) * load.bytes);
      expected += layouts::smemWavefronts(op, addresses).conflicts();
    }
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    ASSERT_TRUE(result) << errorText(result.error());
    std::string lost = "warps lost " + std::to_string(expected) + " to bank conflicts";
    EXPECT_NE(result->note.find(lost), std::string::npos) << load.opcode << ": " << lost << ", " << result->note;
  }
}

TEST(BankConflicts, TheFastModeCountsNone) { EXPECT_EQ(accesses(128, 8, true).cycles, accesses(4, 8, true).cycles); }

} // namespace
} // namespace lanescope::core::test
