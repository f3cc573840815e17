// Regression tests for the bugs that tests/gpu/differential.py found on the GPU, or between the emulator and the host's
// arrays.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

// A constant shift by 40 once left the value undefined, and the compiler dropped the store.
TEST(Differential, ShiftsByTheWidthAndMore) {
  expectRuns(R"(@kernel()
def k(x: GMEM((128,), i32), n: GMEM((128,), i32), u: GMEM((128,), u8), out: Out((5, 128), i32), byte: Out((2, 128), u8)):
  a, by = x[...], n[...]
  out[0] = a << 40
  out[1] = a >> 40
  out[2] = a << by
  out[3] = a >> by
  out[4] = a << 31
  byte[0] = u[...] >> 8
  byte[1] = u[...] << by.astype(u8)
x = (arange(128).astype(i32) - 64) * 1234567
n = arange(128).astype(i32) % 70
u = arange(128).astype(u8)
out, byte = k(x, n, u)
for i, wanted in enumerate((x << 40, x >> 40, x << n, x >> n, x << 31)):
  assert all(out[i] == wanted), i
for i, wanted in enumerate((u >> 8, u << n.astype(u8))):
  assert all(byte[i] == wanted), i
)");
}

// The host once took the first of two zeros.
TEST(Differential, ZerosHaveAnOrder) {
  expectRuns(R"(@kernel()
def k(x: GMEM((128,), f32), y: GMEM((128,), f32), out: Out((2, 128), f32)):
  out[0] = maximum(x[...], y[...])
  out[1] = minimum(x[...], y[...])
x = array([(0.0, -0.0)[i % 2] for i in range(128)], f32)
y = array([(0.0, -0.0)[i // 2 % 2] for i in range(128)], f32)
out = k(x, y)
assert all(1 / out[0] == 1 / maximum(x, y)) and all(1 / out[1] == 1 / minimum(x, y))
assert (1 / out[0])[1] > 0 and (1 / out[1])[1] < 0
assert all(1 / max(reshape(x, (64, 2)), axis=1) > 0) and all(1 / min(reshape(x, (64, 2)), axis=1) < 0)
)");
}

std::string copyFrom(std::string_view start) {
  return "@kernel(scratch=[SMEM((4, 32), f32), Barrier()])\n"
         "def k(x: GMEM((4, 64), f32), n: GMEM((4,), i32), out: Out((4, 32), f32), tile, loaded):\n"
         "  copy_gmem_to_smem(x.at[:, " +
         std::string(start) +
         "], tile, loaded)\n  barrier_wait(loaded)\n  out[...] = tile[...]\n"
         "x = iota((4, 64), f32)\nout = k(x, array([4, 6, 0, 0], i32))\n"
         "assert max_error(out, x[:, 4:36]) == 0\n";
}

// The GPU raises "illegal instruction" if a copy starts between multiples of 16 bytes.
TEST(Differential, CopiesStartAtMultiplesOf16Bytes) {
  expectRuns(copyFrom("4:36"));
  expectRuns(copyFrom("ds(n[0], 32)"));
  Snippet known(copyFrom("6:38"));
  EXPECT_FALSE(known.ok);
  EXPECT_NE(known.errors.find("multiples of 16 bytes only, which is 4 elements"), std::string::npos) << known.errors;
  EXPECT_EQ(known.place(), "3:3");
  Snippet traced(copyFrom("ds(n[1], 32)"));
  EXPECT_FALSE(traced.ok);
  EXPECT_NE(traced.errors.find("starts at element 6 of the innermost dimension"), std::string::npos) << traced.errors;
}

// Without a fence between, copies into a buffer overtake loads that came before an arrival.
TEST(Differential, ArrivalsOrderReadsBeforeCopies) {
  auto fences = [](std::string_view read) {
    Snippet done("@kernel(num_threads=2, thread_name=\"wg\", scratch=[SMEM((2, 128), f32), SMEM((128,), f32), "
                 "Barrier(num_barriers=2), Barrier(num_barriers=2)])\n"
                 "def k(x: GMEM((4, 128), f32), out: Out((4, 128), f32), tiles, other, full, empty):\n"
                 "  if axis_index(\"wg\") == 0:\n    for i in range(4):\n      if i >= 2:\n"
                 "        barrier_wait(empty.at[i % 2])\n"
                 "      copy_gmem_to_smem(x.at[i], tiles.at[i % 2], full.at[i % 2])\n  else:\n    for i in range(4):\n"
                 "      barrier_wait(full.at[i % 2])\n      out[i] = " +
                     std::string(read) +
                     "\n      barrier_arrive(empty.at[i % 2])\n"
                     "x = iota((4, 128), f32)\nout = k(x)\n",
                 {.device = "none", .keepTexts = true});
    EXPECT_TRUE(done.ok) << done.errors;
    const std::string &ptx = done.runtime->launches().back().stages->kernel->ptx;
    size_t fence = ptx.find("fence.proxy.async.shared::cta"), arrive = ptx.rfind("mbarrier.arrive.release");
    return fence != std::string::npos && fence < arrive;
  };
  EXPECT_TRUE(fences("tiles[i % 2]"));
  EXPECT_FALSE(fences("other[...]")) << "no copy fills what is read here";
}

// The same with a cluster barrier: after its arrival, another block's multicast may overwrite what was read here.
TEST(Differential, ClusterArrivalsOrderReadsBeforeCopies) {
  auto fences = [](std::string_view read) {
    Snippet done(
        "@kernel(cluster=(2,), cluster_names=(\"c\",), scratch=[SMEM((128,), f32), SMEM((128,), f32), Barrier(), "
        "ClusterBarrier(collective_axes=(\"c\",))])\n"
        "def k(x: GMEM((4, 128), f32), out: Out((2, 4, 128), f32), tile, other, full, empty):\n"
        "  for i in range(4):\n"
        "    copy_gmem_to_smem(x.at[i], tile, full, collective_axes=\"c\")\n"
        "    barrier_wait(full)\n    out[axis_index(\"c\"), i] = " +
            std::string(read) +
            "\n    barrier_arrive(empty)\n    barrier_wait(empty)\n"
            "x = iota((4, 128), f32)\nout = k(x)\n",
        {.device = "none", .keepTexts = true});
    EXPECT_TRUE(done.ok) << done.errors;
    const std::string &ptx = done.runtime->launches().back().stages->kernel->ptx;
    size_t fence = ptx.find("fence.proxy.async.shared::cta"), arrive = ptx.rfind("mbarrier.arrive.release.cluster");
    EXPECT_NE(arrive, std::string::npos);
    return fence != std::string::npos && fence < arrive;
  };
  EXPECT_TRUE(fences("tile[...]"));
  EXPECT_FALSE(fences("other[...]")) << "no copy fills what is read here";
}

// Pairs with an undefined half made ptxas drop the subtraction; the case has three u16 elements per thread.
TEST(Differential, OddNumbersOf16BitIntegers) {
  Snippet done(R"(@kernel()
def k(x: GMEM((2, 2, 96), u16), out: Out((2, 2, 96), u16)):
  v = x[...]
  for i in range(3):
    v = v - 2
  out[...] = v // 7
x = random((2, 2, 96), u16, seed=1, low=0, high=1000)
wanted = x - 2 - 2 - 2
assert all(k(x) == wanted // 7)
)",
               {.device = "emulator", .keepTexts = true});
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.runtime->launches().back().stages->kernel->ptx.find("16x2"), std::string::npos);
}

} // namespace
} // namespace lanescope::repl
