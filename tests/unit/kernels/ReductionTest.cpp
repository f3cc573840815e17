// Reductions of arrays in every kind of layout, and broadcasts of their results.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

TEST(Reductions, RowsOfWgmma) {
  std::vector<Case> cases;
  for (const char *op : {"sum", "max"})
    for (int m : {64, 128})
      for (int n : {8, 16, 32, 64, 80, 128, 256})
        cases.push_back({text(op, "_", m, "_", n), text("M, N = ", m, ", ", n, R"(
@kernel()
def k(x: GMEM((M, N), f32), out: Out((M, N), f32), row: Out((M,), f32)):
  r = )",
                                                        op, R"((load(x, layout=WGMMA, optimized=False), axis=1)
  row[...] = r
  out[...] = broadcast_in_dim(r, (M, N), (0,))
x = iota((M, N), f32, axis=1) + iota((M, N), f32, axis=0) % 7
out, row = k(x)
wanted = )",
                                                        op, R"((x, axis=1)
assert max_error(row, wanted) == 0
assert max_error(out, broadcast_to(wanted.reshape(M, 1), (M, N))) == 0
)")});
  runCases("FA reduce", cases);
}

// inventory: PE reduce_with_layout
// inventory: FA untiled_reduce
TEST(Reductions, EveryAxisOfEveryLayout) {
  std::vector<Case> cases;
  for (const char *layout :
       {"WGMMA", "WGMMA_TRANSPOSED", "TCGEN05", "tmem_native_layout(1)", "tmem_native_layout(2)",
        "tmem_native_layout(4)", "WGMMA_ACC_32BIT", "WGMMA_8BIT", "WGMMA_UPCAST_2X", "WGMMA_UPCAST_4X",
        "WGStridedFragLayout(shape=(128, 64), vec_size=2)", "WGStridedFragLayout(shape=(128, 64), vec_size=1)"})
    for (const char *op : {"sum", "max", "min"})
      for (const char *dtype : {"f32", "f16", "bf16", "i32", "u32"})
        cases.push_back({text(layout, "_", op, "_", dtype), text("L, T = ", layout, ", ", dtype, R"(
@kernel()
def k(x: GMEM((128, 64), T), rows: Out((128,), T), columns: Out((64,), T), all: Out((1,), T)):
  v = load(x, layout=L, optimized=False)
  rows[...] = )",
                                                                 op, R"((v, axis=1)
  columns[...] = )",
                                                                 op, R"((v, axis=0)
  all[0] = )",
                                                                 op, R"((v)
x = random((128, 64), i32, seed=3, low=0, high=3).astype(T)
rows, columns, all = k(x)
assert max_error(rows, )",
                                                                 op, R"((x, axis=1)) == 0
assert max_error(columns, )",
                                                                 op, R"((x, axis=0)) == 0
total = )",
                                                                 op, R"((x.astype(f32))
if T == bf16 or T == f16:
  assert abs(float(all[0]) - total) <= total / 128
else:
  assert float(all[0]) == total
)")});
  runCases("PE reduce_with_layout", cases, 40);

  std::vector<Case> untiled;
  for (auto [shape, axes] : std::initializer_list<std::pair<const char *, const char *>>{{"(2, 64, 32)", "0"},
                                                                                         {"(2, 64, 32)", "2"},
                                                                                         {"(2, 64, 32)", "(1, 2)"},
                                                                                         {"(2, 64, 32)", "(0, 1, 2)"},
                                                                                         {"(2, 4, 64, 16)", "0"},
                                                                                         {"(2, 4, 64, 16)", "3"}})
    untiled.push_back({text(shape, "_", axes), text("S, A = ", shape, ", ", axes, R"(
x = random(S, i32, seed=5, low=-9, high=9)
wanted = sum(x, axis=A)
R = wanted.shape if len(S) != 3 or A != (0, 1, 2) else (1,)
@kernel()
def k(x: GMEM(S, i32), out: Out(R, i32)):
  r = sum(load(x, layout=WGMMA, optimized=False), axis=A)
  if A == (0, 1, 2):
    out[0] = r
  else:
    out[...] = r
assert max_error(k(x), wanted) == 0
)")});
  runCases("FA untiled_reduce", untiled);
}

// inventory: PE scalar_reduce
TEST(Reductions, StridedAndConstant) {
  std::vector<Case> cases;
  for (const char *dtype : {"f32", "i32", "u32"})
    for (const char *shape : {"(128,)", "(128, 64)", "(128, 32)"})
      for (const char *op : {"sum", "max", "min"})
        cases.push_back({text(dtype, "_", shape, "_", op), text("T, S = ", dtype, ", ", shape, R"(
@kernel()
def k(x: GMEM(S, T), out: Out((2,), T)):
  out[0] = )",
                                                                op, R"((x[...])
  out[1] = )",
                                                                op, R"((full(S, 3, T))
x = random(S, i32, seed=7, low=1, high=50).astype(T)
out = k(x)
assert out[0] == )",
                                                                op, R"((x)
assert out[1] == )",
                                                                op, R"((full(S, 3, T))
)")});
  runCases("FA strided_reduce_sum", cases, 18);
}

// inventory: PE cross_warp_reduction
TEST(Reductions, EachWarpgroupHasItsOwnScratch) {
  runCases("PE cross_warp_reduction", {{"two_warpgroups_in_a_loop", R"(
@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((2, 128, 64), f32), out: Out((2, 4, 64), f32)):
  w = axis_index("wg")
  v = load(x.at[w], layout=WGMMA, optimized=False)
  for i in range(4):
    out[w, i] = sum(v, axis=0)
    v = v + max(v)
x = random((2, 128, 64), i32, seed=1, low=0, high=5).astype(f32)
out = k(x)
for w in range(2):
  v = x[w]
  for i in range(4):
    assert max_error(out[w, i], sum(v, axis=0)) == 0
    v = v + max(v)
)"}});
}

// The layout of a result that a loop carries is that of the reduced array, which comes later.
TEST(Reductions, ResultsThatLoopsCarry) {
  runCases("results that loops carry", {{"product of a matrix and a vector", R"(
@kernel()
def k(a: GMEM((128, 256), f16), x: GMEM((256,), f32), out: Out((128,), f32)):
  total = zeros((128,), f32)
  for i in range(2):
    part = ds(i * 128, 128)
    total += sum(a[:, part].astype(f32) * x[part], axis=1)
  out[...] = total
a, x = random((128, 256), f16, seed=1), random((256,), f32, seed=2)
assert allclose(k(a, x), sum(a.astype(f32) * x, axis=1), atol=1e-4)
)"},
                                        {"normaliser of a softmax", R"(
@kernel()
def k(a: GMEM((64, 512), f32), out: Out((64,), f32)):
  most, total = full((64,), -1e30, f32), zeros((64,), f32)
  for i in range(4):
    v = a[:, ds(i * 128, 128)]
    now = maximum(most, max(v, axis=1))
    total = total * exp(most - now) + sum(exp(v - now[:, None]), axis=1)
    most = now
  out[...] = log(total) + most
a = random((64, 512), f32, seed=1)
assert allclose(k(a), log(sum(exp(a), axis=1)), atol=1e-5)
)"},
                                        {"columns", R"(
@kernel()
def k(a: GMEM((4, 64, 128), f32), first: GMEM((128,), f32), out: Out((128,), f32)):
  total = first[...]
  for i in range(4):
    total += sum(a[i], axis=0)
  out[...] = total
assert max_error(k(ones((4, 64, 128), f32), ones((128,), f32)), 257.0) == 0
)"}});
}

TEST(Reductions, NanIsTheMaximumAndTheMinimum) {
  runCases("reductions of NaN", {{"nan", R"(
@kernel()
def k(x: GMEM((64, 64), f32), out: Out((2, 64), f32)):
  v = load(x, layout=WGMMA, optimized=False)
  v = select(v == 5, 0 * log(v - 6), v)
  out[0] = max(v, axis=1)
  out[1] = min(v, axis=1)
x = iota((64, 64), f32)
out = k(x)
assert not out[0, 0] == out[0, 0] and not out[1, 0] == out[1, 0]
for i in range(1, 64):
  assert out[0, i] == 64 * i + 63 and out[1, i] == 64 * i
)"}});
}

TEST(Reductions, Mistakes) {
  auto kernel = [](const std::string &body) {
    return "@kernel()\ndef k(x: GMEM((64, 64), f32), out: Out((64,), f32)):\n  v = x[...]\n" + body +
           "k(random((64, 64), f32))\n";
  };
  expectError(kernel("  out[...] = sum(v, axis=2)\n"), "there is no axis 2");
  expectError(kernel("  out[...] = sum(v, axis=(1, -1))\n"), "an axis is named twice");
  expectError(kernel("  out[...] = sum(sum(v))\n"), "this is a scalar");
  expectError(kernel("  a = layout_cast(v, TCGEN05.reduce([1]))\n"), "cannot have this layout");
  expectError(kernel("  v = layout_cast(full((64, 64), 1.0), WGMMA) + load(x, layout=WGMMA, optimized=False)\n"
                     "  out[...] = layout_cast(full((64,), 1.0), WGMMA.reduce([0])) + max(v, axis=1)\n"),
              "is not the operand's layout");
}

} // namespace
} // namespace lanescope::repl
