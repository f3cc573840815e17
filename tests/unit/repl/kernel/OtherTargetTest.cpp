// Functions of another target's kernels: the message says what this target has instead, and that works.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

std::string onGpu(const std::string &call) {
  return "@kernel()\ndef k(x: GMEM((128,), f32), out: Out((128,), f32)):\n  out[...] = " + call +
         "\nk(zeros((128,), f32))\n";
}

void expectAdvice(const std::string &snippet, std::string_view advice) {
  Snippet ran(snippet, {.device = "emulator"});
  ASSERT_FALSE(ran.ok);
  EXPECT_EQ(ran.diagnostics.front().kind, "unsupported") << ran.errors;
  EXPECT_EQ(ran.place(), "3:14") << ran.errors;
  EXPECT_NE(ran.errors.find(advice), std::string::npos) << ran.errors;
}

TEST(OtherTarget, SaysWhatAGpuHasInstead) {
  expectAdvice(onGpu("cumsum(x[...])"),
               "`cumsum` is for kernels of a SparseCore; on a GPU, put the vector of n elements into each row of a "
               "square with `broadcast_in_dim(x, (n, n), (1,))`, and use `sum(where(columns <= rows, square, 0), "
               "axis=1)`, whose `rows` and `columns` are `broadcasted_iota(i32, (n, n), 0)` and");
  expectAdvice(onGpu("cummax(x[...])"), "`max(where(columns <= rows, square, float(\"-inf\")), axis=1)`");
  expectAdvice(onGpu("cummin(x[...])"), "`min(where(columns <= rows, square, float(\"inf\")), axis=1)`");
  expectAdvice(onGpu("fori_loop(0, 4, lambda i, c: c, x[...])"), "; on a GPU, use a `for` loop over a `range`");
  expectAdvice(onGpu("sync_copy(x, out)"), "; on a GPU, use `copy_gmem_to_smem` and `barrier_wait`");
  expectAdvice(onGpu("addupdate(out, x[...])"), "; on a GPU, use `ref[...] = ref[...] + x`");
}

TEST(OtherTarget, HasNoAdviceWhereThereIsNoShortWay) {
  Snippet ran(onGpu("num_lanes()"), {.device = "emulator"});
  ASSERT_FALSE(ran.ok);
  EXPECT_EQ(ran.diagnostics.front().message, "`num_lanes` is for kernels of a SparseCore");
}

TEST(OtherTarget, TheAdviceForRunningSumsIsRight) {
  Snippet ran(R"(
@kernel(num_threads=1)
def running(x: GMEM((128,), f32), sums: Out((128,), f32), highest: Out((128,), f32), lowest: Out((128,), f32)):
  n = 128
  rows, columns = broadcasted_iota(i32, (n, n), 0), broadcasted_iota(i32, (n, n), 1)
  square = broadcast_in_dim(x[...], (n, n), (1,))
  sums[...] = sum(where(columns <= rows, square, 0), axis=1)
  highest[...] = max(where(columns <= rows, square, float("-inf")), axis=1)
  lowest[...] = min(where(columns <= rows, square, float("inf")), axis=1)

x = (arange(128, dtype=f32) * 37) % 64 - 32
sums, highest, lowest = running(x)
want = [0, float("-inf"), float("inf")]
for i in range(128):
  want = [want[0] + x[i], max(want[1], x[i]), min(want[2], x[i])]
  assert sums[i] == want[0] and highest[i] == want[1] and lowest[i] == want[2]
)",
              {.arch = "sm_90a", .device = "emulator"});
  EXPECT_TRUE(ran.ok) << ran.errors;
}

} // namespace
} // namespace lanescope::repl
