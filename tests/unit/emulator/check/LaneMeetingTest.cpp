// Warp-wide instructions with one member mask at several places, and values from lanes outside the mask.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// Lanes 0 to 15 execute `low`, the other lanes `high`. Each lane stores %r9.
Kernel halves(const std::string &low, const std::string &high) {
  Kernel kernel;
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %laneid;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d50, %d1;\nadd.u32 %r1, %r0, 100;\n"
                "add.u32 %r2, %r0, 200;\nmov.u32 %r9, 7;\nsetp.lt.u32 %p1, %r0, 16;\nsetp.lt.u32 %p4, %r0, 4;\n"
                "setp.ge.u32 %p5, %r0, 4;\n@%p1 bra LOW;\n" +
                high + "\nbra MEET;\nLOW:\n" + low + "\nMEET:\nst.global.u32 [%d1], %r9;\nret;";
  return kernel;
}

std::vector<uint32_t> give(const Kernel &kernel) {
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(32))});
  if (!result || !result->diagnostics.empty()) {
    ADD_FAILURE() << errorText(result ? result->diagnostics : result.error());
    return std::vector<uint32_t>(32);
  }
  return words(result->outputs[0]);
}

std::string kindOf(const Kernel &kernel) {
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(32))});
  if (!result || result->diagnostics.empty())
    return {};
  return result->diagnostics[0].kind;
}

TEST(LaneMeeting, BarriersOfOneMask) {
  std::vector<uint32_t> out = give(halves("bar.warp.sync -1;\nmov.u32 %r9, 1;", "bar.warp.sync -1;\nmov.u32 %r9, 2;"));
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], l < 16 ? 1u : 2u) << l;
  // One half of the warp waits twice; the other half waits at two places in two branches.
  EXPECT_EQ(kindOf(halves("bar.warp.sync -1;\nbar.warp.sync 0xffff;", "bar.warp.sync 0xffff0000;\nbar.warp.sync -1;")),
            "");
}

TEST(LaneMeeting, AnUnlikeInstructionIsNoPartner) {
  EXPECT_EQ(kindOf(halves("bar.warp.sync -1;", "vote.sync.ballot.b32 %r9, %p1, -1;")), "divergent-instruction");
  EXPECT_EQ(kindOf(halves("shfl.sync.up.b32 %r9, %r1, 1, 0, -1;", "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;")),
            "divergent-instruction");
  EXPECT_EQ(kindOf(halves("bar.warp.sync -1;", "mov.u32 %r9, 2;")), "divergent-instruction");
}

TEST(LaneMeeting, ShufflesTakeValuesOfTheOtherPlace) {
  // The registers and distances differ, and one result goes to the register of the value.
  std::vector<uint32_t> out =
      give(halves("shfl.sync.bfly.b32 %r1, %r1, 16, 31, -1;\nmov.u32 %r9, %r1;",
                  "mov.u32 %r4, 17;\nshfl.sync.bfly.b32 %r9|%p2, %r2, %r4, 31, -1;\n@!%p2 mov.u32 %r9, 0;"));
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], l < 16 ? (l ^ 16) + 200 : (l ^ 17) + 100) << l;
}

TEST(LaneMeeting, VotesMatchesAndSumsCountAllLanes) {
  std::vector<uint32_t> out = give(halves("vote.sync.ballot.b32 %r9, %p4, -1;", "vote.sync.ballot.b32 %r9, !%p5, -1;"));
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], 0xFu) << l;
  out = give(halves("vote.sync.any.pred %p2, %p4, -1;\n@%p2 mov.u32 %r9, 1;",
                    "vote.sync.any.pred %p2, %p4, -1;\n@%p2 mov.u32 %r9, 2;"));
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], l < 16 ? 1u : 2u) << l;
  out = give(halves("redux.sync.add.u32 %r9, %r0, -1;", "mov.u32 %r3, 1;\nredux.sync.add.u32 %r9, %r3, -1;"));
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], 120u + 16) << l;
  out = give(halves("cvt.u64.u32 %d2, %r0;\nmatch.any.sync.b64 %r9, %d2, -1;",
                    "sub.u32 %r3, %r0, 16;\ncvt.u64.u32 %d2, %r3;\nmatch.any.sync.b64 %r9, %d2, -1;"));
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], 0x10001u << l % 16) << l;
}

TEST(LaneMeeting, TilesMeetAcrossBranches) {
  // Even lanes run one place, odd lanes another, so that each tile of four lanes has two at each place.
  std::string tile = "shl.b32 %r5, 15, %r4;\nshfl.sync.bfly.b32 %r9, %r1, 1, 31, %r5;";
  Kernel kernel = halves(tile, tile);
  kernel.body.replace(kernel.body.find("setp.lt.u32 %p1, %r0, 16;"), 25,
                      "and.b32 %r3, %r0, 1;\nsetp.eq.u32 %p1, %r3, 0;\nand.b32 %r4, %r0, 28;");
  std::vector<uint32_t> out = give(kernel);
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], (l ^ 1) + 100) << l;
}

TEST(LaneMeeting, WhoHasEndedIsNotAwaited) {
  EXPECT_EQ(kindOf(halves("exit;", "bar.warp.sync -1;")), "");
  EXPECT_EQ(kindOf(halves("bra END;", "bar.warp.sync -1;\nmov.u32 %r9, 2;\nst.global.u32 [%d1], %r9;\nEND: ret;")), "");
}

TEST(OutsideLane, IsAFaultWhereAResultDependsOnIt) {
  auto result = run(halves("mov.u32 %r9, 1;", "shfl.sync.idx.b32 %r9, %r1, 0, 31, 0xffff0000;"),
                    {u32Array(std::vector<uint32_t>(32))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u) << errorText(result->diagnostics);
  EXPECT_EQ(result->diagnostics[0].kind, "outside-lane");
  EXPECT_EQ(result->diagnostics[0].severity, Severity::Error);
  EXPECT_TRUE(mentions(result->diagnostics, "lane 0, which is not in its member mask"));
  EXPECT_EQ(kindOf(halves("exit;", "shfl.sync.up.b32 %r9, %r1, 16, 0, -1;")), "outside-lane");
}

TEST(OutsideLane, IsNothingWhereNobodyUsesIt) {
  // A sum over sixteen lanes: the last lanes add values from outside, but only lane 0 stores.
  std::string sum;
  for (int distance : {8, 4, 2, 1})
    sum += "shfl.sync.down.b32 %r3, %r1, " + std::to_string(distance) + ", 31, 0xffff;\nadd.u32 %r1, %r1, %r3;\n";
  std::vector<uint32_t> out = give(halves(sum + "setp.eq.u32 %p2, %r0, 0;\n@%p2 mov.u32 %r9, %r1;", ""));
  EXPECT_EQ(out[0], 1600u + 120);
  // A lane takes another lane's value only inside its own segment.
  give(halves("shfl.sync.down.b32 %r9, %r1, 1, 6151, 0xffff;", ""));
}

} // namespace
} // namespace lanescope::core::test
