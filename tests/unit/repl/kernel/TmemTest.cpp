// Tensor memory in snippets, on the emulator: stores, loads, slices, unions, copies. Each snippet checks its own
// numbers.
#include "Tcgen05Support.h"

#include "layouts/Catalogue.h"

namespace lanescope::repl {
namespace {

/// Stores `x` to the tensor memory that `memory` declares, and reads it back.
std::string roundTrip(const std::string &shape, const std::string &dtype, const std::string &memory,
                      const std::string &layout = "", const std::string &loadLayout = "",
                      const std::string &cluster = "") {
  std::string from = layout.empty() ? "load(x, optimized=False)" : "load(x, layout=" + layout + ", optimized=False)";
  std::string how = loadLayout.empty() ? "" : ", layout=" + loadLayout;
  return text("shape = ", shape, "\n@kernel(scratch=[", memory, "]", cluster, ")\ndef k(x: GMEM(shape, ", dtype,
              "), out: Out(shape, ", dtype, "), t):\n  async_store_tmem(t, ", from,
              ")\n  commit_tmem()\n  out[...] = async_load_tmem(t", how, ")\n  wait_load_tmem()\n",
              "x = (random(shape, f32, seed=1) * 100).astype(", dtype, ")\nassert max_error(k(x).astype(f32), ",
              "x.astype(f32)) == 0\n");
}

const std::string kPair = ", cluster=(2,), cluster_names=(\"x\",)";

struct Element {
  const char *dtype;
  int packing, bits;
};

// inventory: TM load_store_tmem, TM dialect/tmem_load_store, PT tmem_store_load_collective (not the native layout)
TEST(Tmem, EveryLayoutOfRegisters) {
  for (Element e : {Element{"f32", 1, 32}, {"f16", 1, 16}, {"f16", 2, 16}}) {
    std::string rest = text(", 160, packing=", e.packing).substr(5);
    expectRunsThere(roundTrip("(128, 160)", e.dtype,
                              text("TMEM((128, 160), ", e.dtype, ", layout=tmem_default_layout(", e.packing, "))"),
                              "TCGEN05", "TCGEN05"));
    expectRunsThere(roundTrip("(64, 160)", e.dtype,
                              text("TMEM((64, 160), ", e.dtype, ", layout=tmem_half_lane_layout(160", rest, "))"),
                              "WGMMA", "WGMMA"));
    expectRunsThere(roundTrip(
        "(64, 160)", e.dtype,
        text("TMEM((64, 160), ", e.dtype, ", layout=tmem_m64_collective_layout(160", rest, "), collective=True)"),
        "TCGEN05_M64_COLLECTIVE(160)", "TCGEN05_M64_COLLECTIVE(160)", kPair));
  }
}

// inventory: TM load_store_tmem_native
TEST(Tmem, OneRowToAThread) {
  for (Element e : {Element{"f32", 1, 32}, {"f16", 1, 16}, {"f16", 2, 16}, {"f8e5m2", 4, 8}, {"f4e2m1fn", 8, 4}}) {
    std::string native = text("tmem_native_layout(", e.packing == 1 ? 2 : e.packing, ")");
    expectRunsThere(text(
        e.bits < 8 ? ""
                   : roundTrip("(128, 128)", e.dtype,
                               text("TMEM((128, 128), ", e.dtype, ", layout=tmem_default_layout(", e.packing, "))"),
                               native, native)));
  }
}

// inventory: TM load_store_tmem_inference, PT tmem_load_layout
TEST(Tmem, LayoutsAreInferred) {
  expectRunsThere(roundTrip("(128, 128)", "f32", "TMEM((128, 128), f32)"));
  expectRunsThere(roundTrip("(128, 128)", "f16", "TMEM((128, 128), f16, packed=False)"));
  expectRunsThere(roundTrip("(128, 128)", "f16", "TMEM((128, 128), f16, packed=True)"));
  expectRunsThere(roundTrip("(128, 128)", "f8e5m2", "TMEM((128, 128), f8e5m2, packed=True)"));
  expectRunsThere(roundTrip("(64, 64)", "f32", "TMEM((64, 64), f32)"));
  expectRunsThere(roundTrip("(128, 128)", "f32", "TMEM((128, 128), f32)", "TMEM_NATIVE", "TMEM_NATIVE"));
}

// inventory: TM tmem_load_single_register
TEST(Tmem, SingleColumns) {
  expectRunsThere(
      roundTrip("(128, 1)", "f32", "TMEM((128, 1), f32)", "tmem_native_layout(1)", "tmem_native_layout(1)"));
}

// inventory: PT tmem, TM dialect/tmem_alloc_dealloc
TEST(Tmem, ThroughSharedMemoryAndBack) {
  for (bool collective : {false, true})
    expectRunsThere(text("C, B = ", collective ? "True, 2" : "False, 1",
                         R"(
sw = (TilingTransform((8, 32)), SwizzleTransform(128))
@kernel(scratch=[TMEM((128, 128), f32, collective=C), TMEM((128, 128), f32, collective=C),
                 SMEM((128, 128), f32, transforms=sw), Barrier()])",
                         collective ? kPair : "", R"()
def k(x: GMEM((128, 128), f32), y: Out((B, 128, 128), f32), t, u, tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  async_store_tmem(t, load(tile, layout=TCGEN05) + 1)
  commit_tmem()
  between = async_load_tmem(t)
  wait_load_tmem()
  async_store_tmem(u, between)
  commit_tmem()
  tile[...] = async_load_tmem(u)
  wait_load_tmem()
  commit_smem()
  copy_smem_to_gmem(tile, y.at[axis_index("x") if C else 0])
  wait_smem_to_gmem(0)
x = random((128, 128), f32, seed=0)
y = k(x)
for block in range(B):
  assert max_error(y[block], x + 1) == 0
)"));
}

// inventory: PT tmem_allocation_estimation
TEST(Tmem, PackedElementsTakeHalfOfTheColumns) {
  expectRunsThere(R"(shape = (128, 256)
@kernel(scratch=[TMEM(shape, bf16, packed=True), TMEM(shape, bf16, packed=True), TMEM(shape, bf16, packed=True)])
def k(x: GMEM(shape, bf16), y: Out(shape, bf16), a, b, c):
  v = load(x, layout=TCGEN05, optimized=False)
  for t in (a, b, c):
    async_store_tmem(t, v + 1)
    commit_tmem()
    v = async_load_tmem(t)
    wait_load_tmem()
  y[...] = v
x = floor(random(shape, f32, seed=0) * 64).astype(bf16)
assert max_error(k(x).astype(f32), x.astype(f32) + 3) == 0
)");
}

// inventory: PT tmem_ref_aliasing, PT tmem_ref_union_multi_allocation
TEST(Tmem, UnionsShareColumns) {
  expectRunsThere(R"(@kernel(scratch=[TMEM((128, 256), f32), Union((TMEM((128, 32), f32), TMEM((128, 32), f32)),
                                                     TMEM((128, 64), f32), TMEM((128, 256), f16, packed=True))])
def k(x: GMEM((128, 64), f32), y: Out((128, 64), f32), z: Out((128, 64), f32), t, u):
  (a, b), whole, other = u
  async_store_tmem(a, load(x.at[:, :32], layout=TCGEN05, optimized=False))
  async_store_tmem(b, load(x.at[:, 32:], layout=TCGEN05, optimized=False) + 1)
  commit_tmem()
  y[...] = async_load_tmem(whole)
  wait_load_tmem()
  async_store_tmem(t.at[:, 64:128], load(x, layout=TCGEN05, optimized=False))
  commit_tmem()
  z[...] = async_load_tmem(t.at[:, 64:128])
  wait_load_tmem()
x = random((128, 64), f32, seed=0)
y, z = k(x)
assert max_error(y[:, :32], x[:, :32]) == 0 and max_error(y[:, 32:], x[:, 32:] + 1) == 0 and max_error(z, x) == 0
)");
}

// inventory: PT tmem_column_slicing, TM tmem_column_slicing, TM dialect/slice_tmem, TM dialect/tmem_subview
TEST(Tmem, SlicesOfColumns) {
  for (const char *memory :
       {"TMEM((128, 256), f32)", "TMEM((128, 256), f16, packed=False)", "TMEM((128, 256), f16, packed=True)"}) {
    std::string dtype = std::string_view(memory).find("f32") == std::string_view::npos ? "f16" : "f32";
    expectRunsThere(text("T = ", dtype, "\n@kernel(scratch=[", memory, R"(])
def k(x: GMEM((128, 128), T), starts: GMEM((1,), i32), y: Out((128, 128), T), z: Out((128, 8), T), t):
  async_store_tmem(t.at[:, 8:208].at[:, 0:128], load(x, layout=TCGEN05, optimized=False))
  commit_tmem()
  y[...] = async_load_tmem(t.at[:, 8:136])
  z[...] = async_load_tmem(t.at[:, ds(starts[0] * 8, 8)])
  wait_load_tmem()
x = random((128, 128), f32, seed=0).astype(T)
y, z = k(x, array([3], i32))
assert max_error(y.astype(f32), x.astype(f32)) == 0 and max_error(z.astype(f32), x[:, 16:24].astype(f32)) == 0
)"));
  }
}

TEST(Tmem, SlicesOfHalvesOfLanes) {
  for (const char *layout : {"tmem_half_lane_layout(32, packing=2)", "tmem_m64_collective_layout(32, packing=2)"})
    expectRunsThere(text("@kernel(scratch=[TMEM((64, 64), f16, layout=", layout, R"()])
def k(x: GMEM((64, 64), f16), y: Out((64, 32), f16), t):
  for half in (0, 32):
    async_store_tmem(t.at[:, half:half + 32], load(x.at[:, half:half + 32], optimized=False))
  commit_tmem()
  y[...] = async_load_tmem(t.at[:, 32:])
  wait_load_tmem()
x = random((64, 64), f16, seed=0)
assert max_error(k(x).astype(f32), x[:, 32:].astype(f32)) == 0
)"));
}

// The lower lanes of a quarter hold the even columns of 16 rows, the upper lanes the odd columns.
// inventory: TM tmem_column_slicing_custom_layout
TEST(Tmem, LayoutsOfOnesOwn) {
  expectRunsThere(
      R"(own = TMEMLayout(tiling=Tiling(tiles=((64, 16), (16, 2), (16, 1))), warp_dims=(-6,), lane_dims=(-3, -2),
                 vector_dim=-1)
@kernel(scratch=[TMEM((64, 64), f32, layout=own)])
def k(x: GMEM((64, 64), f32), y: Out((64, 32), f32), t):
  async_store_tmem(t, load(x, optimized=False))
  commit_tmem()
  y[...] = async_load_tmem(t.at[:, 16:48])
  wait_load_tmem()
x = random((64, 64), f32, seed=0)
assert max_error(k(x), x[:, 16:48]) == 0
)");
}

// inventory: TM load_store_tmem_scales_layout
TEST(Tmem, LayoutsOfScales) {
  for (auto [rows, layout] : {std::pair("128", "scales_layout()"), {"256", "b_scales_m64_collective_layout()"}})
    expectRunsThere(
        roundTrip(text("(", rows, ", 32)"), "f8e5m2", text("TMEM((", rows, ", 32), f8e5m2, layout=", layout, ")")));
}

// inventory: PT tmem_batch_dimension_indexing
TEST(Tmem, DimensionsBeforeTheMatrix) {
  expectRunsThere(R"(@kernel(scratch=[TMEM((2, 3, 128, 16), f32)])
def k(x: GMEM((2, 3, 128, 16), f32), which: GMEM((2,), i32), y: Out((128, 16), f32), t):
  for i in range(2):
    for j in static_range(3):
      async_store_tmem(t.at[i, j], load(x.at[i, j], layout=TCGEN05, optimized=False))
  commit_tmem()
  y[...] = async_load_tmem(t.at[which[0], which[1]])
  wait_load_tmem()
x = random((2, 3, 128, 16), f32, seed=0)
for i, j in ((0, 0), (1, 2)):
  assert max_error(k(x, array([i, j], i32)), x[i, j]) == 0
)");
}

TEST(Tmem, InScopes) {
  expectRunsThere(R"(@kernel()
def k(x: GMEM((128, 32), f32), y: Out((128, 32), f32)):
  for i in static_range(3):
    with run_scoped(TMEM((128, 256), f32)) as t:
      async_store_tmem(t.at[:, :32], load(x, layout=TCGEN05, optimized=False) * 2)
      commit_tmem()
      y[...] = async_load_tmem(t.at[:, :32])
      wait_load_tmem()
x = random((128, 32), f32, seed=0)
assert max_error(k(x), x * 2) == 0
)");
}

// inventory: PT tmem_alloc_within_warp_map
TEST(Tmem, InScopesOfWarps) {
  expectRunsThere(R"(sw = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(scratch=[SMEM((128, 64), f16, transforms=sw), SMEM((64, 128), f16, transforms=sw), TMEM((128, 128), f32),
                 Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)])
def k(a: GMEM((128, 64), f16), b: GMEM((64, 128), f16), out: Out((128, 128), f32), at, bt, acc, loaded, done):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  def warps():
    if axis_index("w") == 0:
      with run_scoped(TMEM((128, 64), f16, packed=True), Barrier(orders_tensor_core=True)) as (left, copied):
        async_copy_smem_to_tmem(at, left)
        tcgen05_commit_arrive(copied)
        barrier_wait(copied)
        tcgen05_mma(acc, left, bt, done, accumulate=False)
  core_map(WarpMesh("w"))(warps)
  barrier_wait(done)
  out[...] = async_load_tmem(acc)
  wait_load_tmem()
a, b = random((128, 64), f16, seed=1), random((64, 128), f16, seed=2)
assert allclose(k(a, b), a.astype(f32) @ b.astype(f32), atol=1e-4)
)");
  expectMistake(
      "@kernel()\ndef k(out: Out((128,), f32)):\n  def warps():\n    run_scoped(lambda acc: None, ACC((64, 64), "
      "f32))\n  core_map(WarpMesh(\"w\"))(warps)\nk()\n",
      "warp-level", "4:34", "lies in the registers of a whole warpgroup", {.device = "emulator"});
}

// inventory: PT print_layout_tmem, PT print_layout_tmem_with_transform, PT print_layout_tmem_with_transforms
TEST(Tmem, PrintsItsLayout) {
  Snippet done(R"(@kernel(scratch=[TMEM((128, 256), bf16, packed=True),
                 Union(TMEM((128, 64), f16, packed=False), TMEM((128, 128), f16, packed=True))])
def k(out: Out((1,), f32), t, u):
  a, b = u
  print_layout("t: {}", t)
  print_layout("part: {}", t.at[:, :128])
  print_layout("a: {}", a)
  print_layout("b: {}", b)
  out[0] = 0.0
k()
)",
               blackwell());
  EXPECT_TRUE(done.ok) << done.errors;
  for (auto [what, packing] : {std::pair("t", 2), {"part", 2}, {"a", 1}, {"b", 2}}) {
    std::string line = text(what, ": ", layouts::jaxText(*layouts::catalogue::tmemDefault(packing)), "\n");
    EXPECT_NE(done.printed.find(line), std::string::npos) << line << done.printed;
  }
}

// inventory: TM tmem_debug_print (arrays, not cells)
TEST(Tmem, PrintsItsElements) {
  Snippet done(R"(@kernel(scratch=[TMEM((128, 8), f32)])
def k(out: Out((1,), f32), t):
  async_store_tmem(t, full((128, 8), 130.0, f32))
  commit_tmem()
  debug_print("here: {}", t)
  out[0] = 0.0
k()
)",
               blackwell());
  EXPECT_TRUE(done.ok) << done.errors;
  EXPECT_NE(done.printed.find("here: "), std::string::npos) << done.printed;
  EXPECT_NE(done.printed.find("130"), std::string::npos) << done.printed;
}

//===------------------------------------ copies by the tensor core -----------------------------------------------===//

// inventory: TM smem_to_tmem_copy, PT async_copy_smem_to_tmem, PT async_copy_smem_to_tmem_warp_semantics,
// TM dialect/async_store_smem_to_tmem
TEST(TmemCopies, FromSharedMemory) {
  struct Case {
    const char *dtype;
    int bits, columns, swizzle;
    bool warp;
  };
  std::vector<Case> cases;
  for (auto [dtype, bits] : {std::pair("f8e5m2", 8), {"f16", 16}, {"f32", 32}})
    for (int columns : {8, 16, 32, 64, 160, 256})
      for (int swizzle : {32, 64, 128})
        if (int row = swizzle * 8 / bits; row <= columns && columns % row == 0)
          cases.push_back({dtype, bits, columns, swizzle, columns % 64 == 0});
  for (size_t i = 0; i < cases.size(); i += full() ? 1 : 7) {
    const Case &c = cases[i];
    expectRunsThere(text("T, shape, row = ", c.dtype, ", (128, ", c.columns, "), ", c.swizzle * 8 / c.bits, R"(
@kernel(scratch=[SMEM(shape, T, transforms=(TilingTransform((8, row)), SwizzleTransform()",
                         c.swizzle, R"())),
                 TMEM(shape, T, packed=True), Barrier(), Barrier(orders_tensor_core=True)])
def k(x: GMEM(shape, T), y: Out(shape, T), s, t, loaded, copied):
  copy_gmem_to_smem(x, s, loaded)
  barrier_wait(loaded)
)",
                         c.warp ? R"(  def warps():
    if axis_index("w") == 1:
      async_copy_smem_to_tmem(s, t)
      tcgen05_commit_arrive(copied)
  core_map(WarpMesh("w"))(warps)
)"
                                : R"(  async_copy_smem_to_tmem(s, t)
  tcgen05_commit_arrive(copied)
)",
                         R"(  barrier_wait(copied)
  y[...] = async_load_tmem(t)
  wait_load_tmem()
x = (random(shape, f32, seed=0) * 8).astype(T)
assert max_error(k(x).astype(f32), x.astype(f32)) == 0
)"));
  }
}

// inventory: PT warp_specialized_tmem_slice
TEST(TmemCopies, IntoSlices) {
  expectRunsThere(R"(sw = (TilingTransform((8, 32)), SwizzleTransform(128))
@kernel(grid=(1,), grid_names=("x",), scratch=[SMEM((128, 32), f32, transforms=sw), TMEM((128, 64), f32),
                                               Barrier(orders_tensor_core=True)])
def k(x: GMEM((128, 32), f32), y: Out((128, 32), f32), s, t, copied):
  s[...] = load(x, layout=WGMMA, optimized=False)
  commit_smem()
  start = axis_index("x") * 32 + 32
  def warps():
    if axis_index("w") == 0:
      async_copy_smem_to_tmem(s, t.at[:, ds(start, 32)])
      tcgen05_commit_arrive(copied)
  core_map(WarpMesh("w"))(warps)
  barrier_wait(copied)
  y[...] = async_load_tmem(t.at[:, 32:])
  wait_load_tmem()
x = random((128, 32), f32, seed=0)
assert max_error(k(x), x) == 0
)");
}

// inventory: TM smem_to_tmem_copy_collective, TM dialect/async_store_smem_to_tmem_collective
TEST(TmemCopies, ForTwoBlocks) {
  for (int columns : {64, 256})
    for (int swizzle : {32, 128})
      expectRunsThere(text("N, row = ", columns, ", ", swizzle / 2, R"(
@kernel(cluster=(2,), cluster_names=("x",),
        scratch=[SMEM((128, N), f16, transforms=(TilingTransform((8, row)), SwizzleTransform()",
                           swizzle, R"())),
                 TMEM((128, N), f16, packed=True, collective=True), Barrier(), Barrier(orders_tensor_core=True),
                 ClusterBarrier(collective_axes=("x",))])
def k(x: GMEM((256, N), f16), y: Out((256, N), f16), s, t, loaded, copied, ready):
  rows = ds(axis_index("x") * 128, 128)
  copy_gmem_to_smem(x.at[rows], s, loaded)
  barrier_wait(loaded)
  barrier_arrive(ready)
  barrier_wait(ready)
  async_copy_smem_to_tmem(s, t, "x")
  tcgen05_commit_arrive(copied, "x")
  barrier_wait(copied)
  y[rows] = async_load_tmem(t)
  wait_load_tmem()
x = random((256, N), f16, seed=0)
assert max_error(k(x).astype(f32), x.astype(f32)) == 0
)"));
}

// inventory: TM tmem_copy_scales, PT async_copy_scales_to_tmem_warp_semantics_lowers_correctly
TEST(TmemCopies, OfScales) {
  for (const char *dtype : {"f8e8m0fnu", "f8e4m3fn"})
    expectRunsThere(text("T = ", dtype, R"(
@kernel(scratch=[SMEM((1, 2, 32, 16), T), TMEM((128, 8), T, layout=scales_layout()), Barrier(),
                 Barrier(orders_tensor_core=True)])
def k(x: GMEM((1, 2, 32, 16), T), y: Out((128, 8), T), s, t, loaded, copied):
  copy_gmem_to_smem(x, s, loaded)
  barrier_wait(loaded)
  def warps():
    if axis_index("w") == 0:
      async_copy_scales_to_tmem(s, t)
      tcgen05_commit_arrive(copied)
  core_map(WarpMesh("w"))(warps)
  barrier_wait(copied)
  y[...] = async_load_tmem(t)
  wait_load_tmem()
x = exp2(floor(random((128, 8), f32, seed=0) * 4)).astype(T)
assert max_error(k(format_tcgen05_scales(x)).astype(f32), x.astype(f32)) == 0
)"));
}

// inventory: PT barrier_arrive_warp_mesh
TEST(TmemBarriers, WarpsArrive) {
  for (const char *kind : {"", ", orders_tensor_core=True"})
    expectRunsThere(text("@kernel(scratch=[Barrier(num_arrivals=2", kind, R"()])
def k(out: Out((1,), i32), met):
  def warps():
    if axis_index("w") % 2 == 0:
      barrier_arrive(met)
  core_map(WarpMesh("w"))(warps)
  barrier_wait(met)
  out[0] = 5
assert k()[0] == 5
)"));
}

// inventory: PT arrive_wait_on_tc_barrier
TEST(TmemBarriers, WarpgroupsArrive) {
  expectRunsThere(
      R"(@kernel(num_threads=2, thread_name="wg", scratch=[TMEM((128, 32), f32), Barrier(orders_tensor_core=True)])
def k(x: GMEM((128, 32), f32), y: Out((128, 32), f32), t, written):
  if axis_index("wg") == 0:
    async_store_tmem(t, load(x, layout=TCGEN05, optimized=False))
    commit_tmem()
    barrier_arrive(written)
  else:
    barrier_wait(written)
    y[...] = async_load_tmem(t)
    wait_load_tmem()
x = random((128, 32), f32, seed=0)
assert max_error(k(x), x) == 0
)");
}

TEST(TmemHelpers, ScalesAndMetadataInTiles) {
  // The formulas of the mma operands, written for each element.
  expectRunsThere(R"(scales = (arange(256 * 8) % 251).reshape((256, 8)).astype(u8)
tiles = format_tcgen05_scales(scales)
assert tiles.shape == (2, 2, 32, 16)
for row, column in ((0, 0), (37, 5), (200, 7), (255, 2)):
  assert tiles[row // 128, column // 4, row % 32, row % 128 // 32 * 4 + column % 4] == scales[row, column]
assert format_tcgen05_scales(scales[:64]).shape == (1, 2, 32, 16)
halves = format_tcgen05_scales(scales[:192], halves=True)
assert halves.shape == (1, 2, 64, 16)
for row, column in ((0, 0), (95, 5), (96, 7), (191, 2)):
  assert halves[0, column // 4, row // 96 * 32 + row % 32, row % 96 // 32 * 4 + column % 4] == scales[row, column]
meta = (arange(128 * 32 * 2) % 4).reshape((128, 32, 2)).astype(u2)
narrow, wide = format_tcgen05_sparse_metadata(meta, i8), format_tcgen05_sparse_metadata(meta, f16)
assert narrow.shape == (1, 1, 128, 64) and wide.shape == (1, 1, 128, 64)
assert narrow.dtype == u2 and max_error(narrow[0, 0].astype(i32), meta.reshape((128, 64)).astype(i32)) == 0
)");
}

TEST(TmemHelpers, FloatsOfFourBitsAndScalesAreConverted) {
  expectRunsThere(R"(@kernel()
def k(x: GMEM((128, 64), f4e2m1fn), s: GMEM((128, 64), f8e8m0fnu), out: Out((128, 64), f32),
      twice: Out((128, 64), f4e2m1fn), inverse: Out((128, 64), f8e8m0fnu)):
  wide = x[...].astype(f32)
  out[...] = wide * s[...].astype(f32)
  twice[...] = (wide * 2).astype(f4e2m1fn)
  inverse[...] = 1 / s[...]
x = (random((128, 64), f32, seed=1) * 6).astype(f4e2m1fn)
s = exp2(floor(random((128, 64), f32, seed=2) * 5)).astype(f8e8m0fnu)
out, twice, inverse = k(x, s)
assert max_error(out, x.astype(f32) * s.astype(f32)) == 0
assert max_error(twice.astype(f32), (x.astype(f32) * 2).astype(f4e2m1fn).astype(f32)) == 0
assert max_error(inverse.astype(f32) * s.astype(f32), full((128, 64), 1, f32)) == 0
)");
  for (const char *what : {"s[...] * 2", "2 / s[...]", "s[...] / s[...]"})
    expectMistake(text("@kernel()\ndef k(s: GMEM((128,), f8e8m0fnu), o: Out((128,), f8e8m0fnu)):\n  o[...] = ", what,
                       "\nk(zeros((128,), f8e8m0fnu))\n"),
                  "unsupported", "3:12", "does not compute with f8e8m0fnu; convert with `.astype(f32)` first");
}

// inventory: TM load_reduce_tmem_native, PT load_reduce_tmem_native
TEST(TmemTransfers, ReduceRowsWhileTheyLoad) {
  auto kernel = [](const std::string &dtype, const std::string &reduce, const std::string &input,
                   const std::string &expected) {
    return text("@kernel(scratch=[TMEM((128, 128), ", dtype, ")])\ndef k(x: GMEM((128, 128), ", dtype,
                "), out: Out((128, 128), ", dtype, "), rows: Out((128,), ", dtype, R"(), t):
  async_store_tmem(t, load(x, layout=TMEM_NATIVE, optimized=False))
  commit_tmem()
  all, row = async_load_tmem(t, reduce=")",
                reduce, "\")\n  out[...] = all\n  rows[...] = row\nx = ", input,
                "\nall, rows = k(x)\nexpected = ", expected,
                "\nassert max_error(all, x) == 0 and max_error(rows, expected) == 0\n");
  };
  const KernelOptions ultra = {.arch = "sm_103a", .device = "emulator"};
  const std::string floats = "random((128, 128), f32, seed=1)",
                    integers = "random((128, 128), i32, seed=1, low=-1000, high=1000)";
  for (const std::string &each :
       {kernel("f32", "min", floats, "min(x, axis=1)"), kernel("f32", "max", floats, "max(x, axis=1)"),
        kernel("f32", "absmin", floats, "min(abs(x), axis=1)"), kernel("f32", "absmax", floats, "max(abs(x), axis=1)"),
        kernel("i32", "min", integers, "min(x, axis=1)"), kernel("i32", "max", integers, "max(x, axis=1)"),
        kernel("u32", "min", integers + ".astype(u32)", "min(x, axis=1)"),
        kernel("u32", "max", integers + ".astype(u32)", "max(x, axis=1)")}) {
    Snippet done(each, ultra);
    EXPECT_TRUE(done.ok) << each << "\n" << done.errors;
  }
}

} // namespace
} // namespace lanescope::repl
