// setmaxnreg: registers that warpgroups take from their block's pool and give back to it.
#include "tests/unit/emulator/Support.h"

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
const std::string kBounds = ".maxntid 384, 1, 1\n.minnctapersm 1"; // 168 a thread

std::string report(const Kernel &kernel) {
  auto result = run(kernel, {u32Array({0})});
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? errorText(result->diagnostics) : "";
}

TEST(RegisterPool, WhatOneGivesOthersTake) {
  EXPECT_EQ(report(warpgroups({decrease(40), increase(232), increase(232)}, kBounds)), "");
  EXPECT_EQ(report(warpgroups({kLater + decrease(40), increase(232), increase(232)}, kBounds)), "");
  EXPECT_EQ(report(warpgroups({decrease(24), increase(240), increase(240)}, kBounds)), "");
  // Back and forth: the second takes when the first has given back what it took.
  EXPECT_EQ(report(warpgroups({increase(232) + kLater + decrease(40), kLater + increase(232), decrease(104)}, kBounds)),
            "");
  // Four warpgroups have 128 each; 504 and 512 are what CUTLASS' and Pallas' kernels share out.
  EXPECT_EQ(
      report(warpgroups({decrease(32), increase(160), increase(160), increase(160)}, ".reqntid 512\n.minnctapersm 1")),
      "");
  EXPECT_EQ(report(warpgroups({decrease(40), increase(232)}, ".maxnreg 136")), "");
}

TEST(RegisterPool, WhoAsksForMoreThanThereIsWaitsForEver) {
  std::string all = report(warpgroups({increase(232), increase(232), increase(232)}, kBounds));
  EXPECT_NE(all.find("deadlock"), std::string::npos) << all;
  EXPECT_NE(all.find("for 232 registers a thread: each has 168, and the other warps have left 0 of the block's free"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("the block has 168 registers a thread from its launch"), std::string::npos) << all;
  // 8 too many: 128 warps' worth are given, 72 a thread are asked for by the first and 64 by the second.
  std::string close = report(warpgroups(
      {decrease(40) + "bar.sync 1;\n", increase(240) + "bar.sync 1;\n", increase(232) + "bar.sync 1;\n"}, kBounds));
  EXPECT_NE(close.find("registers a thread: each has 168, and the other warps have left"), std::string::npos) << close;
}

TEST(RegisterPool, InTheKernelsFavour) {
  // Without bounds ptxas ignores the instruction.
  EXPECT_EQ(report(warpgroups({increase(232), increase(232), increase(232)}, "")), "");
  EXPECT_EQ(report(warpgroups({increase(232), increase(232), increase(232)}, ".maxntid 384, 1, 1")), "");
  // A warpgroup that ends leaves what it has; less is no increase, more is no decrease.
  EXPECT_EQ(report(warpgroups({"", increase(232), increase(232)}, kBounds)), "");
  EXPECT_EQ(report(warpgroups({increase(40), decrease(200), increase(168)}, kBounds)), "");
}

} // namespace
} // namespace lanescope::core::test
