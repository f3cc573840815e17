// setmaxnreg: warpgroups take registers from their block's pool and give them back.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// One body per warpgroup of a block.
Kernel warpgroups(const std::vector<std::string> &bodies, std::string directives) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = static_cast<uint32_t>(bodies.size()) * 128;
  kernel.directives = std::move(directives);
  kernel.body = "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 7;\n";
  for (size_t n = 0; n < bodies.size(); ++n)
    kernel.body += "setp.eq.u32 %p1, %r1, " + std::to_string(n) + ";\n@%p1 bra G" + std::to_string(n) + ";\n";
  for (size_t n = 0; n < bodies.size(); ++n)
    kernel.body += "G" + std::to_string(n) + ":\n" + bodies[n] + "bra END;\n";
  kernel.body += "END: ret;\n";
  return kernel;
}

std::string increase(int n) { return "setmaxnreg.inc.sync.aligned.u32 " + std::to_string(n) + ";\n"; }
std::string decrease(int n) { return "setmaxnreg.dec.sync.aligned.u32 " + std::to_string(n) + ";\n"; }
const std::string kLater = "nanosleep.u32 5000;\n";
const std::string kBounds = ".maxntid 384, 1, 1\n.minnctapersm 1"; // 168 registers per thread

std::string report(const Kernel &kernel) {
  auto result = run(kernel, {u32Array({0})});
  EXPECT_TRUE(result) << errorText(result.error());
  if (result && !result->diagnostics.empty() && result->diagnostics[0].kind != "deadlock")
    EXPECT_EQ(result->diagnostics[0].kind, "register-pool");
  return result ? errorText(result->diagnostics) : "";
}

TEST(RegisterPool, WhatOneGivesOthersTake) {
  EXPECT_EQ(report(warpgroups({decrease(40), increase(232), increase(232)}, kBounds)), "");
  EXPECT_EQ(report(warpgroups({kLater + decrease(40), increase(232), increase(232)}, kBounds)), "");
  EXPECT_EQ(report(warpgroups({decrease(24), increase(240), increase(240)}, kBounds)), "");
  // Back and forth: the second warpgroup takes registers after the first has given back what it took.
  EXPECT_EQ(report(warpgroups({increase(232) + kLater + decrease(40), kLater + increase(232), decrease(104)}, kBounds)),
            "");
  // Each of four warpgroups starts with 128. CUTLASS' and Pallas' kernels divide 504 and 512 among their warpgroups.
  EXPECT_EQ(
      report(warpgroups({decrease(32), increase(160), increase(160), increase(160)}, ".reqntid 512\n.minnctapersm 1")),
      "");
  EXPECT_EQ(report(warpgroups({decrease(40), increase(232)}, ".maxnreg 136")), "");
}

TEST(RegisterPool, WhatCanNeverBeServedIsToldWithItsNumbers) {
  std::string all = report(warpgroups({increase(232), increase(232), increase(232)}, kBounds));
  EXPECT_NE(all.find("`setmaxnreg.inc.sync.aligned.u32` can never be served: warpgroup 0 asks for 8192 more registers "
                     "(232 a thread), and the others have left 0 and give no more back"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("the block has 64512 registers, 168 for each of its 384 threads"), std::string::npos) << all;
  // The request is 8 too many: 128 per thread are given back, the first increase asks for 72 and the second for 64.
  std::string close = report(warpgroups(
      {decrease(40) + "bar.sync 1;\n", increase(240) + "bar.sync 1;\n", increase(232) + "bar.sync 1;\n"}, kBounds));
  EXPECT_NE(close.find("registers a thread: each has 168, and the other warps have left"), std::string::npos) << close;
  EXPECT_LT(close.find("setmaxnreg.inc"), close.find("bar.sync 1")) << close; // the likelier culprit first
  EXPECT_NE(close.find("another warpgroup has to give some back, by `setmaxnreg.dec`"), std::string::npos) << close;
  // A warpgroup that exits keeps its registers: TileLang's 24 and 240 for 512 threads.
  std::string ended = report(warpgroups({"", increase(232), increase(232)}, kBounds));
  EXPECT_NE(ended.find("a warp that ends gives none back"), std::string::npos) << ended;
  std::string four = report(
      warpgroups({decrease(24), increase(240), increase(240), increase(240)}, ".maxntid 512, 1, 1\n.minnctapersm 1"));
  EXPECT_NE(four.find("asks for 14336 more registers (240 a thread), and the others have left 13312"),
            std::string::npos)
      << four;
}

TEST(RegisterPool, AWarpgroupExecutesItTogether) {
  const std::string some = "setp.lt.u32 %p2, %r0, 96;\n@!%p2 bra END;\n";
  std::string early = report(warpgroups({some + increase(168), ""}, ".maxntid 256, 1, 1\n.minnctapersm 1"));
  EXPECT_NE(early.find("of its warpgroup"), std::string::npos) << early;
  EXPECT_NE(early.find("all warps of a warpgroup have to execute the same `setmaxnreg`"), std::string::npos) << early;
  std::string other = report(warpgroups(
      {"setp.lt.u32 %p2, %r0, 96;\n@%p2 bra LOW;\n" + decrease(48) + "bra END;\nLOW:\n" + decrease(40)}, kBounds));
  EXPECT_NE(other.find("of its warpgroup executes another one"), std::string::npos) << other;
}

/// The hardware takes the registers from the warps that execute the decrease.
TEST(RegisterPool, SomeWarpsMayGiveTheirsAlone) {
  const std::string first = "setp.lt.u32 %p2, %r0, 32;\n@!%p2 bra END;\n", late = "@%p2 nanosleep.u32 5000;\n";
  for (const std::string &some : {first, std::string("setp.lt.u32 %p2, %r0, 96;\n@!%p2 bra END;\n"), first + late}) {
    auto result =
        run(warpgroups({some + decrease(40), increase(168)}, ".maxntid 256, 1, 1\n.minnctapersm 1"), {u32Array({0})});
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << errorText(result->diagnostics);
    EXPECT_EQ(result->diagnostics[0].kind, "partial-setmaxnreg");
    EXPECT_EQ(result->diagnostics[0].severity, Severity::Warning);
  }
  // One warp gives back a quarter of its warpgroup's registers.
  auto starved = run(warpgroups({first + decrease(24), increase(240), increase(240)}, kBounds), {u32Array({0})});
  ASSERT_TRUE(starved) << errorText(starved.error());
  EXPECT_TRUE(mentions(starved->diagnostics, "can never be served")) << errorText(starved->diagnostics);
}

TEST(RegisterPool, InTheKernelsFavour) {
  // Without bounds ptxas ignores the instruction.
  EXPECT_EQ(report(warpgroups({increase(232), increase(232), increase(232)}, "")), "");
  EXPECT_EQ(report(warpgroups({increase(232), increase(232), increase(232)}, ".maxntid 384, 1, 1")), "");
  // A smaller count is no increase, and a larger one is no decrease.
  EXPECT_EQ(report(warpgroups({increase(40), decrease(200), increase(168)}, kBounds)), "");
}

} // namespace
} // namespace lanescope::core::test
