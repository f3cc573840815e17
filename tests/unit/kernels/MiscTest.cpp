// Small kernels of upstream's tests that fit no other family: constants, scalars, copies without TMA, inlined code,
// prints, assertions on the device. Each checks its own numbers.
#include "Cases.h"

#include <regex>

namespace lanescope::repl {
namespace {

//===------------------------------------ register arrays ---------------------------------------------------------===//

// The sign of a zero, and NaN, follow NumPy.
// inventory: FA minimum_np_compatibility
TEST(Misc, MinimumIsNumpys) {
  runCases("FA minimum_np_compatibility", {{"f32", R"(@kernel()
def k(negz: GMEM((128, 128), f32), posz: GMEM((128, 128), f32), nan: GMEM((128, 128), f32), out: Out((4, 128, 128), i8)):
  one = full((128, 128), 1.0, f32)
  out[0] = (copysign(1.0, minimum(negz[...], posz[...])) < 0).astype(i8)
  out[1] = (copysign(1.0, minimum(posz[...], negz[...])) < 0).astype(i8)
  out[2] = (minimum(one, nan[...]) != one).astype(i8)
  out[3] = (minimum(nan[...], one) != one).astype(i8)
z = zeros((128, 128), f32)
assert max_error(k(z * -1, z, z + float("nan")), ones((4, 128, 128), i8)) == 0
)"}});
}

// Upstream computes each element in a callback; here arithmetic on coordinates does so.
// inventory: FA foreach_wgmma_row_array
// inventory: FA foreach
TEST(Misc, ElementsByTheirCoordinates) {
  runCases("FA foreach",
           {{"row", R"(@kernel()
def rows(out: Out((128,), f32)):
  x = broadcasted_iota(f32, (128, 128), 0) * 128 + broadcasted_iota(f32, (128, 128), 1)
  row = sum(layout_cast(x, WGMMA), axis=1)
  out[...] = row + 1
assert max_error(rows(), arange(128 * 128).astype(f32).reshape((128, 128)).sum(axis=1) + 1) == 0
)"},
            {"causal",
             R"(@kernel(scratch=[SMEM((128, 192), i32, transforms=(TilingTransform((8, 32)), SwizzleTransform(128)))])
def causal(out: Out((128, 192), i32), tile):
  row, col = broadcasted_iota(i32, (128, 192), 0), broadcasted_iota(i32, (128, 192), 1)
  tile[...] = layout_cast(select(row >= col, row * 192 + col, 9999), WGMMA)
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
got = causal()
for i in [0, 1, 63, 77, 127]:
  for j in range(192):
    assert got[i, j] == (i * 192 + j if i >= j else 9999)
)"}});
}

// A slice whose inner dimensions are contiguous is read in vectors across them.
// inventory: FA dimension_compression_for_vec_size
TEST(Misc, VectorsAcrossDimensions) {
  runCases("FA dimension_compression_for_vec_size", {{"f32", R"(@kernel()
def k(x: GMEM((8, 20, 4, 3, 1), f32), out: Out((8, 16, 4, 3, 1), f32)):
  layout = WGStridedFragLayout(shape=(8, 16, 4, 3, 1), vec_size=4)
  out[...] = load(x.at[:, 4:], (), layout=layout, optimized=False)
x = arange(8 * 20 * 12).astype(f32).reshape((8, 20, 4, 3, 1))
assert max_error(k(x), x[:, 4:]) == 0
)"}});
}

// The language's reductions take no accumulator, so the kernel combines it afterwards.
TEST(Misc, ReductionsWithAnAccumulator) {
  std::vector<Case> cases;
  const std::tuple<const char *, const char *, const char *, bool> parameters[] = {
      {"f32", "5.0", "2.0", true}, {"f32", "5.0", "2.0", false}, {"f32", "5.0", "7.0", false},
      {"i32", "5", "2", false},    {"i32", "-5", "-2", false},   {"i32", "-2", "-5", false},
      {"u32", "5", "2", false},    {"u32", "2", "5", false}};
  for (auto [dtype, value, init, adds] : parameters)
    cases.push_back(
        {text(dtype, value, init, adds),
         text("value, init = ", value, ", ", init, R"(
@kernel()
def k(x: GMEM((1,), )",
              dtype, "), out: Out((128,), ", dtype, R"()):
  source = layout_cast(x[0] + zeros((128, 64), )",
              dtype, R"(), WGMMA)
  acc = layout_cast(full((128,), init, )",
              dtype,
              "), WGMMA_ROW)\n  out[...] = ", adds ? "sum(source, axis=1) + acc" : "maximum(max(source, axis=1), acc)",
              "\nwant = ", adds ? "64 * value + init" : "max(value, init)", "\nassert max_error(k(full((1,), value, ",
              dtype, ")), full((128,), want, ", dtype, ")) == 0\n")});
  runCases("DK vector_multi_dim_reduction", cases);
}

// inventory: DK pointwise_kernel
TEST(Misc, PointwiseKernel) {
  runCases("DK pointwise_kernel", {{"bf16", R"(@kernel()
def k(a: GMEM((128, 128), bf16), b: GMEM((128, 128), bf16), out: Out((128, 128), bf16)):
  out[...] = a[...] + b[...]
x, y = random((128, 128), bf16, seed=1), random((128, 128), bf16, seed=2)
assert max_error(k(x, y), x + y) == 0
)"}});
}

//===------------------------------------ scalars and arguments without dimensions --------------------------------===//

// inventory: API scalar_argument
// inventory: PE swap_scalar_constant
TEST(Misc, ArgumentsWithoutDimensions) {
  std::vector<Case> cases;
  for (const char *dtype : {"u64", "u32", "u16", "u8"})
    cases.push_back({text("scalar_argument_", dtype),
                     text("@kernel()\ndef k(x: GMEM((), ", dtype, "), out: Out((128, 128), ", dtype,
                          ")):\n  out[...] = x[...] + zeros((128, 128), ", dtype, ")\nassert max_error(k(full((), 42, ",
                          dtype, ")), full((128, 128), 42, ", dtype, ")) == 0\n")});
  cases.push_back({"swap_scalar_constant", "@kernel()\ndef k(out: Out((), i32)):\n  out[...] = 42\n"
                                           "assert max_error(k(), full((), 42, i32)) == 0\n"});
  cases.push_back({"both", "@kernel()\ndef k(x: InOut((), f32)):\n  x[...] = x[...] * 2 + 1\n"
                           "assert max_error(k(full((), 3.0, f32)), full((), 7.0, f32)) == 0\n"});
  runCases("API scalar_argument", cases);
  expectError("@kernel(scratch=[SMEM((1,), f32), Barrier()])\ndef k(x: GMEM((), f32), out: Out((), f32), t, b):\n"
              "  copy_gmem_to_smem(x, t.at[0], b)\nk(full((), 1.0, f32))\n",
              "is one element");
}

//===------------------------------------ inlined code, copies by hand
//---------------------------------------------===//

// Upstream's inline code is a function here. It is inlined with the layouts that it requires.
// inventory: PE inline_mgpu
TEST(Misc, InlinedFunctions) {
  std::vector<Case> cases;
  for (const char *dtype : {"bf16", "i16", "u16"})
    cases.push_back({dtype, text("dtype = ", dtype, R"(
tiles = (TilingTransform((64, 64)), SwizzleTransform(128))
def foo(tile):
  x = load(tile, (), layout=WGMMA)
  return x + x + 1
def store(value, tile, out):
  tile[0] = layout_cast(value, WGMMA)
  commit_smem()
  copy_smem_to_gmem(tile.at[0], out)
  wait_smem_to_gmem(0)
  if axis_index("wg") == 0:
    pass
@kernel(thread_name="wg", scratch=[SMEM((2, 128, 128), dtype, transforms=tiles), Barrier()])
def k(x: GMEM((2, 128, 128), dtype), out: Out((128, 128), dtype), tile, bar):
  copy_gmem_to_smem(x, tile, bar)
  barrier_wait(bar)
  store(foo(tile.at[0]), tile, out)
x = (random((2, 128, 128), f32, seed=1) * 10).astype(dtype)
assert max_error(k(x), x[0] + x[0] + 1) == 0
)")});
  runCases("PE inline_mgpu", cases);
}

// inventory: PE inline_mgpu_layout_args
TEST(Misc, InlinedFunctionsWithLayouts) {
  std::vector<Case> cases;
  for (const char *layout : {"WGMMA", "WGMMA_UPCAST_2X", "WGMMA_UPCAST_4X", "TCGEN05"})
    cases.push_back({layout, text("layout = ", layout, R"(
def custom_broadcast(x, xs):
  return layout_cast(broadcast_in_dim(xs, (128, 128), (0,)), layout) * x
@kernel()
def k(x: GMEM((128, 128), i8), s: GMEM((128,), bf16), out: Out((128, 128), bf16)):
  v = load(x, (), layout=layout, optimized=False).astype(bf16)
  vs = load(s, (), layout=layout.reduce(1), optimized=False)
  out[...] = custom_broadcast(v, vs)
x = (random((128, 128), f32, seed=1) * 10).astype(i8)
s = (random((128,), f32, seed=2) * 100).astype(bf16)
want = x.astype(f32) * s.astype(f32).reshape((128, 1))
assert max_error(k(x, s), want.astype(bf16)) == 0
)")});
  runCases("PE inline_mgpu_layout_args", cases);
}

// inventory: DK custom_primitive_op
TEST(Misc, InlinedFunctionOfOneElement) {
  runCases("DK custom_primitive_op", {{"store", R"(def five(out):
  if program_id(0) == 0:
    out[0] = 5
@kernel()
def k(out: Out((1,), i32)):
  five(out)
assert k()[0] == 5
)"}});
}

// inventory: PE sync_copy
TEST(Misc, CopiesWithoutTma) {
  runCases(
      "PE sync_copy",
      {{"f32", R"(@kernel(scratch=[SMEM((128, 128), f32, transforms=(TilingTransform((8, 32)), SwizzleTransform(128)))])
def k(x: GMEM((128, 128), f32), out: Out((128, 128), f32), tile):
  layout = SMEM_GMEM_COPY((128, 128), f32, 128)
  tile[...] = load(x, (), layout=layout, optimized=False)
  out[...] = layout_cast(tile[...], layout)
x = arange(128 * 128).astype(f32).reshape((128, 128))
assert max_error(k(x), x) == 0
)"}});
}

// inventory: PE layout_cast
TEST(Misc, ConstantInALayout) {
  runCases("PE layout_cast", {{"f32", R"(@kernel()
def k(out: Out((256, 64), f32)):
  out[...] = layout_cast(full((256, 64), 42.0, f32), WGMMA)
assert max_error(k(), full((256, 64), 42.0, f32)) == 0
)"}});
}

//===------------------------------------ reductions and broadcasts -----------------------------------------------===//

// inventory: PE add_doubled_sum
TEST(Misc, TwoSums) {
  runCases("PE add_doubled_sum", {{"f32", R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] + sum(x[...]) + sum(x[...])
x = arange(128).astype(f32)
assert max_error(k(x), x + x.sum() * 2) == 0
)"}});
}

// Four neighbouring lanes add up their values by two shuffles. All of them then have the sum, and each stores its own.
// inventory: FA warp_tree_reduce
TEST(Misc, TreeOfFourLanes) {
  runCases("FA warp_tree_reduce", {{"i32", R"(@kernel()
def k(out: Out((32, 4), i32)):
  x = broadcasted_iota(i32, (32, 4), 0) * 4 + broadcasted_iota(i32, (32, 4), 1)
  layout = TiledLayout(tiling=Tiling(tiles=((32, 4), (8, 4), (1,))), warp_dims=(-5,), lane_dims=(-3, -2), vector_dim=-1)
  out[...] = layout_cast(broadcast_in_dim(sum(layout_cast(x, layout), axis=1), (32, 4), (0,)), layout)
sums = arange(128).reshape((32, 4)).sum(axis=1).astype(i32)
assert max_error(k(), sums.reshape((32, 1)) + zeros((32, 4), i32)) == 0
)"}});
}

// inventory: PE layer_norm
TEST(Misc, LayerNorm) {
  std::vector<Case> cases;
  for (const char *factor : {"0.001", "1", "10", "100"})
    cases.push_back({text("factor", factor), text("factor = ", factor, R"(
@kernel()
def k(x: GMEM((256,), f32), out: Out((256,), f32)):
  v = x[...]
  centred = v - sum(v) / 256
  out[...] = centred * rsqrt(sum(centred ** 2) / 256 + 1e-5) * 1.0 + 1.0
x = random((256,), f32, seed=0) * factor
centred = x - x.sum() / 256
want = centred / ((centred * centred).sum() / 256 + 1e-5) ** 0.5 + 1.0
assert allclose(k(x), want, rtol=6e-5)
)")});
  runCases("PE layer_norm", cases);
}

TEST(Misc, AnyAndAll) {
  runCases("any and all", {{"axes", R"(@kernel()
def k(x: GMEM((128, 64), f32), rows: Out((2, 128), i32), whole: Out((4,), i32)):
  v = layout_cast(x[...], WGMMA)
  rows[0] = layout_cast(any(v > 63, axis=1).astype(i32), WGMMA_ROW)
  rows[1] = layout_cast(all(v, axis=1).astype(i32), WGMMA_ROW)
  whole[0] = any(v < 0).astype(i32)
  whole[1] = any(v > 126).astype(i32)
  whole[2] = all(v >= 0).astype(i32)
  whole[3] = all(v).astype(i32)
x = zeros((128, 64), f32) + arange(128).astype(f32).reshape((128, 1))
x[5, 7] = 100.0
x[90, 63] = 0.0
rows, whole = k(x)
assert [rows[0, i] for i in range(128)] == [int(i > 63 or i == 5) for i in range(128)]
assert [rows[1, i] for i in range(128)] == [int(i > 0 and i != 90) for i in range(128)]
assert [whole[i] for i in range(4)] == [0, 1, 1, 0]
)"}});
  expectError("@kernel()\ndef k(x: GMEM((1,), f32), out: Out((1,), f32)):\n  any(x[0])\nk(zeros((1,), f32))\n",
              "`any` reduces arrays");
}

// A repeated row or column gets the layout to which its result is cast, or one that fits.
// inventory: DK broadcast_in_dim, PE broadcast_in_dim
// inventory: PE broadcast_in_dim_does_not_crash_on_small_shape
// inventory: PE broadcast_in_dim_tcgen05_native_layout
TEST(Misc, BroadcastsIntoALayout) {
  std::vector<Case> cases;
  auto add = [&](const std::string &layout, const std::string &shape, int axis, bool hint) {
    cases.push_back({text(layout, shape, axis, hint), text("shape, axis, layout, hint = ", shape, ", ", axis, ", ",
                                                           layout, ", ", hint ? "True" : "False",
                                                           R"(
n = shape[1 - axis]
@kernel()
def k(x: GMEM((n,), f32), out: Out(shape, f32)):
  small = load(x, (), layout=layout.reduce(axis), optimized=False)
  repeated = broadcast_in_dim(small, shape, (1 - axis,))
  out[...] = layout_cast(repeated, layout) if hint else repeated
x = random((n,), f32, seed=1)
want = x.reshape((1, n) if axis == 0 else (n, 1)) + zeros(shape, f32)
assert max_error(k(x), want) == 0
)")});
  };
  for (bool hint : {true, false}) {
    for (const char *layout : {"WGMMA", "TCGEN05", "TMEM_NATIVE", "TCGEN05_M64_COLLECTIVE(128)"})
      for (int axis : {0, 1})
        add(layout, "(128, 128)", axis, hint);
    for (int axis : {0, 1})
      add("TMEM_NATIVE", "(128, 4)", axis, hint);
  }
  for (const char *shape : {"(64, 128), WGMMA_ROW, 0", "(128, 64), WGMMA_COL, 1"})
    cases.push_back({text("constant", shape), text("S, L, dim = ", shape, R"(
@kernel()
def k(out: Out(S, f32)):
  out[...] = broadcast_in_dim(layout_cast(full((64,), 42.0), L), S, (dim,))
assert max_error(k(), full(S, 42.0)) == 0
)")});
  runCases("PE broadcast_in_dim", cases, cases.size());
}

//===------------------------------------ looking inside ----------------------------------------------------------===//

// inventory: PD print_wgmma_tiled_layout
TEST(Misc, PrintsEveryElementOnce) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128, 32), f32), out: Out((1,), i32)):
  debug_print("prefix {}", layout_cast(x[...], WGMMA))
  out[0] = 1
k(arange(128 * 32).astype(f32).reshape((128, 32)))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  std::regex line("prefix \\[(\\d+), (\\d+)\\]: (\\d+)");
  std::vector<int> seen(128 * 32, 0);
  for (std::sregex_iterator at(done.printed.begin(), done.printed.end(), line), end; at != end; ++at) {
    int i = std::stoi((*at)[1]), j = std::stoi((*at)[2]), value = std::stoi((*at)[3]);
    ASSERT_EQ(value, i * 32 + j);
    ++seen[static_cast<size_t>(value)];
  }
  EXPECT_EQ(std::ranges::count(seen, 1), 128 * 32);
}

// inventory: PD print_array
TEST(Misc, PrintsArraysOfAnyRank) {
  Snippet done(R"(@kernel()
def k(x: GMEM((2, 1, 64, 64), i32), out: Out((1,), i32)):
  debug_print("x: {}", x[...])
  out[0] = 1
k(arange(2 * 64 * 64).astype(i32).reshape((2, 1, 64, 64)))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_NE(done.printed.find("x: [1, 0, 43, 23]: 6871\n"), std::string::npos);
  EXPECT_EQ(std::ranges::count(done.printed, '\n'), 2 * 64 * 64);
  expectError("@kernel()\ndef k(x: GMEM((128, 128), f32), o: Out((1,), f32)):\n  debug_print(\"{}\", x[...])\n"
              "k(zeros((128, 128)))\n",
              "print at most 8192");
}

// inventory: PD print_scalar_array
TEST(Misc, PrintsASum) {
  Snippet done(R"(@kernel()
def k(x: GMEM((256,), i32), out: Out((1,), i32)):
  debug_print("x.sum() = {}", sum(x[...]) + 1)
  out[0] = 1
k(arange(256).astype(i32))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.printed, "x.sum() = 32641\n");
}

// inventory: PD print_layout
TEST(Misc, PrintsALayout) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), bf16), out: Out((128,), bf16)):
  v = layout_cast(x[...], WGMMA.reduce(1))
  print_layout("x: {}", v)
  print_layout("100 % {{x}}: {}", v)
  out[...] = v
k(zeros((128,), bf16))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_TRUE(done.printed.starts_with("x: TiledLayout(")) << done.printed;
  EXPECT_NE(done.printed.find("\n100 % {x}: TiledLayout("), std::string::npos) << done.printed;
}

// `assert` on a value of the device does nothing if it holds; otherwise it prints a message and ends the kernel at its
// place.
// inventory: PD check, VW assert (a message and a trap; upstream looks for `__assertfail`)
TEST(Misc, AssertsOnTheDevice) {
  const std::string kernel = R"(@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((256,), i32), out: Out((256,), i32)):
  v = x[...]
  assert sum(v) > 0, "x.sum() is {} negative, 100%"
  if axis_index("wg") == 0:
    out[...] = v
x = arange(256).astype(i32)
)";
  Snippet good(kernel + "assert max_error(k(x), x) == 0\n");
  EXPECT_TRUE(good.ok) << good.errors;
  EXPECT_EQ(good.printed, "");
  Snippet bad(kernel + "k(x * -1)\n");
  EXPECT_FALSE(bad.ok);
  EXPECT_EQ(bad.place(), "4:10") << bad.errors;
  EXPECT_NE(bad.printed.find("line 4: assertion `sum(v) > 0` does not hold: x.sum() is {} negative, 100%\n"),
            std::string::npos)
      << bad.printed << bad.errors;
  expectError(
      "@kernel()\ndef k(x: GMEM((128,), i32), out: Out((1,), i32)):\n  assert x[...] > 0\nk(zeros((128,), i32))\n",
      "is neither true nor false");
}

} // namespace
} // namespace lanescope::repl
