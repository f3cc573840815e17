// Matrix products as whole kernels: sliced, preset and carried accumulators; pipelines that keep a product in flight;
// clusters that share operands; the parameter space of Mosaic GPU's example; attention with grouped heads.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

#include <array>
#include <fstream>
#include <random>
#include <sstream>

namespace lanescope::repl {
namespace {

constexpr const char *kSwizzled = "sw = (TilingTransform((8, 64)), SwizzleTransform(128))\n";

/// Inputs whose products are sums of small multiples of 1/64: exact in f32, in any order.
constexpr const char *kExactInputs = R"(def exact(shape, dtype, seed):
  return (floor(random(shape, f32, seed=seed) * 8) / 8).astype(dtype)
)";

// inventory: P9 fori_loop_accumulator
TEST(Matmul, AccumulatorsInLoops) {
  for (const char *loop : {"for i in range(4):\n    v = v + acc[...]\n",
                           "i = 0\n  while i < n[0]:\n    v = v + acc[...]\n    i = i + 1\n"})
    expectRuns(text(kSwizzled, R"(@kernel(scratch=[SMEM((64, 64), f16, transforms=sw), Barrier(), ACC((64, 64), f16)])
def k(x: GMEM((64, 64), f16), n: GMEM((1,), i32), out: Out((64, 64), f16), tile, loaded, acc):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  acc[...] = load(tile, layout=WGMMA)
  v = acc[...]
  )",
                    loop, R"(  out[...] = v
x = floor(random((64, 64), f32, seed=0) * 16).astype(f16)
assert max_error(k(x, array([4], i32)), x * 5) == 0
)"));
}

/// `body` multiplies `at` (a) by `bt` (b) into `acc`; `rest` checks `result` of shape (m, n) against a @ b.
std::string product(int m, int n, const std::string &outDtype, const std::string &body, const std::string &rest,
                    const std::string &aShape = "(m, 128)", const std::string &bShape = "(128, n)") {
  return text(kSwizzled, "m, n = ", m, ", ", n, "\nashape, bshape = ", aShape, ", ", bShape, R"(
@kernel(scratch=[SMEM(ashape, f16, transforms=sw), SMEM(bshape, f16, transforms=sw), Barrier(num_arrivals=2),
                 ACC((m, n), )",
              outDtype, R"()])
def mm(a: GMEM(ashape, f16), b: GMEM(bshape, f16), start: GMEM((m, n), )",
              outDtype, "), out: Out((m, n), ", outDtype, R"(), at, bt, loaded, acc):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
)",
              body, "a, b = random(ashape, f16, seed=1), random(bshape, f16, seed=2)\nstart = random((m, n), ",
              outDtype, ", seed=3) * 10\nresult = mm(a, b, start).astype(f32)\na, b, start = a.astype(f32), ",
              "b.astype(f32), start.astype(f32)\n", rest);
}

// inventory: P9 wgmma_sliced_acc_flip
TEST(Matmul, PartsOfAnAccumulator) {
  expectRuns(product(64, 256, "f32",
                     "  wgmma(acc.at[:, :128], at, bt.at[:, 128:])\n  wgmma(acc.at[:, 128:], at, bt.at[:, :128])\n"
                     "  out[...] = acc[...]\n",
                     "c = a @ b\nassert allclose(result[:, :128], c[:, 128:], rtol=1e-3, atol=1e-5)\n"
                     "assert allclose(result[:, 128:], c[:, :128], rtol=1e-3, atol=1e-5)\n"));
  // Rows and columns that add to existing values; slices of slices.
  expectRuns(product(128, 128, "f32",
                     "  acc[...] = load(start, layout=WGMMA)\n  lower = acc.at[64:]\n"
                     "  assert lower.shape == (64, 128) and acc.at[..., ds(0, 64)].shape == (128, 64)\n"
                     "  wgmma(lower.at[:, 64:], at.at[:64], bt.at[:, :64])\n  acc[:64, -64:] = 7.0\n"
                     "  out[...] = acc[...]\n",
                     "c = a @ b\nassert max_error(result[:, :64], start[:, :64]) == 0\n"
                     "assert max_error(result[:64, 64:], full((64, 64), 7, f32)) == 0\n"
                     "assert max_error(result[64:, 64:], start[64:, 64:] + c[:64, :64]) < 1e-4\n"));
  // Several products in flight at once, with a wait for each.
  expectRuns(product(64, 128, "f32",
                     "  wgmma(acc.at[:, :64], at, bt.at[:, :64])\n  wgmma(acc.at[:, 64:], at, bt.at[:, 64:])\n"
                     "  out[:, :64] = wgmma_accumulator_load(acc.at[:, :64], wait_n=1)\n  out[:, 64:] = acc[:, 64:]\n",
                     "assert allclose(result, a @ b, rtol=1e-3, atol=1e-5)\n"));
}

// inventory: P9 wgmma_sliced_acc_read
TEST(Matmul, ReadsPartsOfAnAccumulator) {
  expectRuns(product(64, 128, "f32",
                     "  wgmma(acc, at, bt)\n  left, right = acc[:, :64], acc[:, 64:]\n  out[:, :64] = left\n"
                     "  out[:, 64:] = right\n",
                     "assert allclose(result, a @ b, rtol=1e-3, atol=1e-5)\n"));
}

TEST(Matmul, RefusesOtherPartsOfAnAccumulator) {
  for (const char *part : {"acc[0]", "acc[:32]", "acc[:, 4:12]", "acc[:, ds(n[0], 8)]", "acc[::2]", "acc[:, 128:]",
                           "acc[64:64]", "acc[:, :, :]", "acc[..., ...]", "acc[-200:]"}) {
    Snippet done(
        text("@kernel(scratch=[ACC((128, 64), f32)])\ndef k(n: GMEM((1,), i32), out: Out((64, 64), f32), acc):\n"
             "  out[...] = ",
             part, "\nk(zeros((1,), i32))\n"));
    EXPECT_FALSE(done.ok) << part;
    EXPECT_NE(done.errors.find("a multiple of 64 rows and of 8 columns"), std::string::npos) << part << done.errors;
  }
}

// inventory: P9 wgmma_registers_init
TEST(Matmul, StartsFromAValue) {
  expectRuns(product(64, 192, "f16",
                     "  acc[...] = load(start, layout=WGMMA)\n  wgmma(acc, at[...], bt)\n  out[...] = acc[...]\n",
                     "assert allclose(result, start + a @ b, rtol=2e-3, atol=2e-2)\n"));
}

// inventory: P9 wgmma_sliced_ref
TEST(Matmul, SlicedReferences) {
  expectRuns(product(64, 192, "f32", "  wgmma(acc, at.at[0], bt.at[0])\n  out[...] = acc[...]\n",
                     "assert allclose(result, a[0] @ b[0], rtol=1e-3, atol=1e-5)\n", "(2, m, 128)", "(2, 128, n)"));
}

// inventory: P9 realistic_matmul, PP realistic_matmul
TEST(Matmul, PipelinesWithAProductInFlight) {
  for (bool a : {false, true})
    for (bool b : {false, true})
      expectRuns(text(kSwizzled, kExactInputs, "grid_m, grid_k, grid_n = ", full() ? "132, 10, 4" : "2, 10, 2",
                      "\ntile, depth = 128, 64\nm, k, n = grid_m * tile, grid_k * depth, grid_n * tile\n"
                      "ashape, bshape = ",
                      a ? "(k, m)" : "(m, k)", ", ", b ? "(n, k)" : "(k, n)", R"(
@kernel(grid=(grid_m, grid_n), scratch=[SMEM((tile, tile), f16, transforms=sw), ACC((tile, tile), f32)])
def mm(a: GMEM(ashape, f16), b: GMEM(bshape, f16), out: Out((m, n), f16), out_tile, acc):
  row, column = program_id(0), program_id(1)
  def body(indices, at, bt):
    assert at.shape == )",
                      a ? "(depth, tile)" : "(tile, depth)", " and bt.shape == ", b ? "(tile, depth)" : "(depth, tile)",
                      "\n    wgmma(acc, ", a ? "at.T" : "at", ", ", b ? "bt.T" : "bt", R"()
    wgmma_wait(1) # the last one stays in flight, hence the delay
  a_spec = BlockSpec()",
                      a ? "(depth, tile), lambda k: (k, row)" : "(tile, depth), lambda k: (row, k)",
                      ", transforms=sw, delay_release=1)\n  b_spec = BlockSpec(",
                      b ? "(tile, depth), lambda k: (column, k)" : "(depth, tile), lambda k: (k, column)",
                      R"(, transforms=sw, delay_release=1)
  emit_pipeline(body, grid=(grid_k,), in_specs=[a_spec, b_spec], max_concurrent_steps=2)(a, b)
  out_tile[...] = acc[...].astype(f16)
  commit_smem()
  copy_smem_to_gmem(out_tile, out.at[ds(row * tile, tile), ds(column * tile, tile)])
  wait_smem_to_gmem(0)
a, b = exact(ashape, f16, 4), exact(bshape, f16, 5)
left = )",
                      a ? "transpose(a)" : "a", ".astype(f32)\nright = ", b ? "transpose(b)" : "b",
                      ".astype(f32)\nassert max_error(mm(a, b), (left @ right).astype(f16)) == 0\n"));
}

// A product is in flight when its pipeline ends. The next pipeline must not overwrite the operands that it reads.
TEST(Matmul, PipelinesInARowOnOneAccumulator) {
  for (bool special : {false, true})
    expectRuns(text(kSwizzled, "threads = ", special ? 3 : 1, R"(
m = 64 * max(1, threads - 1)
@kernel(num_threads=threads, thread_name="wg", scratch=[ACC((64, 64), f32)])
def mm(a: GMEM((2, m, 256), f16), b: GMEM((2, 256, 64), f16), out: Out((m, 64), f32), acc):
  rows = ds(axis_index("wg") * 64, 64)
  def body(indices, at, bt):
    wgmma(acc, at.at[rows] if threads > 1 else at, bt)
    wgmma_wait(1)
  for r in range(2):
    specs = [BlockSpec((None, m, 64), lambda k: (r, 0, k), transforms=sw, delay_release=1),
             BlockSpec((None, 64, 64), lambda k: (r, k, 0), transforms=sw, delay_release=1)]
)",
                    special
                        ? "    emit_pipeline_warp_specialized(body, grid=(4,), memory_registers=40, wg_axis=\"wg\", "
                          "num_compute_wgs=2, in_specs=specs, max_concurrent_steps=2)(a, b)\n"
                          "  if axis_index(\"wg\") < 2:\n    out[rows] = acc[...]\n"
                        : "    emit_pipeline(body, grid=(4,), in_specs=specs, max_concurrent_steps=2)(a, b)\n"
                          "  out[...] = acc[...]\n",
                    R"(a, b = random((2, m, 256), f16, seed=20), random((2, 256, 64), f16, seed=21)
wanted = a[0].astype(f32) @ b[0].astype(f32) + a[1].astype(f32) @ b[1].astype(f32)
assert max_error(mm(a, b), wanted) < 1e-4
)"));
}

// inventory: WG dialect/wgmma_kernel_with_tma
TEST(Matmul, EverySwizzleAndTransposition) {
  for (int swizzle : {32, 64, 128})
    for (bool a : {false, true})
      for (bool b : {false, true})
        for (bool registers : {false, true}) {
          if (a && registers) // only an operand in shared memory can be transposed
            continue;
          expectRuns(text("swizzle = ", swizzle,
                          "\nd = swizzle // 2\nm = 256\nashape, bshape = ", a ? "(d, m)" : "(m, d)", ", ", "(d, d)", R"(
sw = (TilingTransform((8, d)), SwizzleTransform(swizzle))
@kernel(scratch=[SMEM(ashape, bf16, transforms=sw), SMEM(bshape, bf16, transforms=sw),
                 SMEM((m, d), f32, transforms=(TilingTransform((8, swizzle // 4)), SwizzleTransform(swizzle))),
                 Barrier(num_arrivals=2), ACC((m, d), f32)])
def mm(a: GMEM(ashape, bf16), b: GMEM(bshape, bf16), out: Out((m, d), f32), at, bt, result, loaded, acc):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  wgmma(acc, )",
                          a           ? "at.T"
                          : registers ? "at[...]"
                                      : "at",
                          ", ", b ? "bt.T" : "bt", R"()
  result[...] = acc[...]
  commit_smem()
  copy_smem_to_gmem(result, out)
  wait_smem_to_gmem(0)
a, b = (random(ashape, f32, seed=6) > 0).astype(bf16), (random(bshape, f32, seed=7) > 0).astype(bf16)
)",
                          "left = ", a ? "transpose(a)" : "a", ".astype(f32)\nright = ", b ? "transpose(b)" : "b",
                          ".astype(f32)\nassert max_error(mm(a, b), left @ right) == 0\n"));
        }
}

// inventory: WG dialect/integer_wgmma, P9 wgmma_integer
TEST(Matmul, IntegersWithAndWithoutSign) {
  for (const char *dtype : {"i8", "u8"})
    for (const char *left : {"at", "load(at, layout=WGMMA_8BIT)"})
      for (int bound : {8, 127})
        expectRuns(text("dtype = ", dtype, "\nlow, high = ", dtype[0] == 'i' ? -bound : 0, ", ",
                        dtype[0] == 'i' || bound == 8 ? bound : 255, R"(
m, k, n = 64, 128, 64
sw = (TilingTransform((8, 128)), SwizzleTransform(128))
@kernel(scratch=[SMEM((m, k), dtype, transforms=sw), SMEM((n, k), dtype, transforms=sw), Barrier(num_arrivals=2), ACC((m, n), i32)])
def mm(a: GMEM((m, k), dtype), b: GMEM((n, k), dtype), out: Out((m, n), i32), at, bt, loaded, acc):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  wgmma(acc, )",
                        left, R"(, bt.T)
  out[...] = acc[...]
def integers(shape, seed):
  return floor(low + (random(shape, f32, seed=seed) + 1) / 2 * (high - low)).astype(dtype)
a, b = integers((m, k), 8), integers((n, k), 9)
assert max_error(mm(a, b), (a.astype(f32) @ transpose(b.astype(f32))).astype(i32)) == 0
)"));
}

// The blocks of a cluster load shared operands together, and meet before a load overwrites what another block reads.
// inventory: PH realistic_matmul_with_cluster
TEST(Matmul, ClustersShareOperands) {
  expectRuns(text(kSwizzled, kExactInputs, "grid_m, grid_k, grid_n = ", full() ? "132, 10, 32" : "2, 10, 4", R"(
tile, depth, steps, tile_n = 128, 64, 2, 4
m, k, n = grid_m * tile, grid_k * depth, grid_n * tile
@kernel(grid=(tile_n // 2, grid_m // 2, grid_n // tile_n), grid_names=("tile_n", "m", "n"), cluster=(2, 2, 1),
        cluster_names=("x", "y", "z"),
        scratch=[SMEM((steps, tile, depth), f16, transforms=sw), SMEM((steps, depth, tile), f16, transforms=sw),
                 SMEM((tile, tile), f16, transforms=sw), ACC((tile, tile), f32),
                 Barrier(num_arrivals=2, num_barriers=steps),
                 ClusterBarrier(collective_axes=(("x", "z"), "y"), num_barriers=steps)])
def mm(a: GMEM((m, k), f16), b: GMEM((k, n), f16), out: Out((m, n), f16), at, bt, result, acc, loaded, read):
  rows = ds((axis_index("m") * 2 + axis_index("y")) * tile, tile)
  columns = ds((axis_index("tile_n") * 2 + axis_index("x") + axis_index("n") * tile_n) * tile, tile)
  def fetch(step, slot):
    here = ds(step * depth, depth)
    copy_gmem_to_smem(a.at[rows, here], at.at[slot], loaded.at[slot], collective_axes=("x", "z"))
    copy_gmem_to_smem(b.at[here, columns], bt.at[slot], loaded.at[slot], collective_axes="y")
  for slot in static_range(min(steps, grid_k)):
    fetch(slot, slot)
  for step in range(grid_k):
    slot = step % steps
    barrier_wait(loaded.at[slot])
    wgmma(acc, at.at[slot], bt.at[slot])
    wgmma_wait(1)
    ahead = step + steps - 1
    if step >= 1 and ahead < grid_k:
      barrier_arrive(read.at[ahead % steps])
      barrier_wait(read.at[ahead % steps])
      fetch(ahead, ahead % steps)
  result[...] = acc[...].astype(f16)
  commit_smem()
  copy_smem_to_gmem(result, out.at[rows, columns])
  wait_smem_to_gmem(0)
a, b = exact((m, k), f16, 10), exact((k, n), f16, 11)
assert max_error(mm(a, b), (a.astype(f32) @ b.astype(f32)).astype(f16)) == 0
)"));
}

/// One set of parameters from the space of Mosaic GPU's test: jax/experimental/mosaic/gpu/examples/matmul.py.
struct Drawn {
  std::string in, out;
  int m, n, k, stages, swizzle, tileM, tileN, gridTileN, clusterM, clusterN;
  bool transposed;

  int bytes() const { return in == "f32" ? 4 : 2; }
  int64_t sharedBytes() const {
    int64_t depth = swizzle / bytes(), steps = std::min<int64_t>(stages, k / depth);
    return std::max<int64_t>(steps * depth * (tileM + tileN) * bytes(),
                             int64_t{tileM} * tileN * (out == "f32" ? 4 : 2)) +
           4096;
  }
  bool possible() const {
    int gridM = m / tileM, gridN = n / tileN, clusterTileN = std::min(clusterN, gridTileN);
    return tileM <= m && tileN <= n && gridN % gridTileN == 0 && gridM % clusterM == 0 && gridN % clusterN == 0 &&
           (gridN / gridTileN) % (clusterN / clusterTileN) == 0 && clusterM * clusterN <= 8 &&
           sharedBytes() <= 227 * 1024;
  }
};

Drawn draw(std::mt19937 &random, const std::vector<int> &sizes) {
  auto from = [&](const auto &choices) { return choices[random() % choices.size()]; };
  using Ints = std::vector<int>;
  for (;;) {
    Drawn d;
    d.in = from(std::vector<std::string>{"f16", "bf16", "f32"});
    d.out = d.in == "f32" ? "f32" : from(std::vector<std::string>{d.in, "f32"});
    d.m = from(sizes);
    d.n = from(sizes);
    d.k = from(sizes);
    d.stages = from(Ints{2, 3, 4, 5});
    d.swizzle = from(Ints{32, 64, 128});
    d.tileM = from(Ints{64, 128, 256});
    d.tileN = from(Ints{64, 128, 256});
    d.gridTileN = from(Ints{1, 2, 4, 8, 16});
    d.clusterM = from(Ints{1, 2, 4});
    d.clusterN = from(Ints{1, 2, 4});
    d.transposed = d.in == "f32" || random() % 2 == 0;
    if (d.possible())
      return d;
  }
}

std::string snippet(const Drawn &d) {
  return text(kExactInputs, "dtype, out_dtype, b_transposed = ", d.in, ", ", d.out, ", ",
              d.transposed ? "True" : "False", "\nm, n, k, stages, swizzle = ", d.m, ", ", d.n, ", ", d.k, ", ",
              d.stages, ", ", d.swizzle, "\ntile_m, tile_n, grid_tile_n, cluster_m, cluster_n = ", d.tileM, ", ",
              d.tileN, ", ", d.gridTileN, ", ", d.clusterM, ", ", d.clusterN, R"(
width, out_width = 4 if dtype == f32 else 2, 4 if out_dtype == f32 else 2
depth = swizzle // width
steps, out_swizzle = k // depth, 128 if out_width == 4 else swizzle
stages = min(stages, steps)
sw = (TilingTransform((8, depth)), SwizzleTransform(swizzle))
bshape, btile = ((n, k), (tile_n, depth)) if b_transposed else ((k, n), (depth, tile_n))
x = min(cluster_n, grid_tile_n)
z, clustered = cluster_n // x, cluster_m * cluster_n > 1
@kernel(grid=(grid_tile_n // x, m // tile_m // cluster_m, n // tile_n // grid_tile_n // z), grid_names=("tile_n", "m", "n"),
        cluster=(x, cluster_m, z), cluster_names=("x", "y", "z"),
        scratch=[Union((SMEM((stages, tile_m, depth), dtype, transforms=sw), SMEM((stages,) + btile, dtype, transforms=sw)),
                       SMEM((tile_m, tile_n), out_dtype, transforms=(TilingTransform((8, out_swizzle // out_width)),
                                                                     SwizzleTransform(out_swizzle)))),
                 Barrier(num_arrivals=2, num_barriers=stages),
                 ClusterBarrier(collective_axes=(("x", "z"), "y"), num_barriers=stages) if clustered else Barrier(),
                 ACC((tile_m, tile_n), f32)])
def mm(a: GMEM((m, k), dtype), b: GMEM(bshape, dtype), out: Out((m, n), out_dtype), tiles, loaded, read, acc):
  (at, bt), result = tiles
  rows = ds((axis_index("m") * cluster_m + axis_index("y")) * tile_m, tile_m)
  columns = ds((axis_index("tile_n") * x + axis_index("x") + (axis_index("n") * z + axis_index("z")) * grid_tile_n) * tile_n, tile_n)
  def fetch(step, slot):
    here = ds(step * depth, depth)
    copy_gmem_to_smem(a.at[rows, here], at.at[slot], loaded.at[slot], collective_axes=("x", "z"))
    copy_gmem_to_smem(b.at[columns, here] if b_transposed else b.at[here, columns], bt.at[slot], loaded.at[slot],
                      collective_axes="y")
  for slot in static_range(stages):
    fetch(slot, slot)
  for step in range(steps):
    slot, ahead = step % stages, step + stages - 1
    barrier_wait(loaded.at[slot])
    wgmma(acc, at.at[slot], bt.at[slot].T if b_transposed else bt.at[slot])
    wgmma_wait(1)
    if step > 0 and ahead < steps:
      if clustered:
        barrier_arrive(read.at[ahead % stages])
        barrier_wait(read.at[ahead % stages])
      fetch(ahead, ahead % stages)
  result[...] = acc[...].astype(out_dtype)
  commit_smem()
  copy_smem_to_gmem(result, out.at[rows, columns])
  wait_smem_to_gmem(0)
a, b = exact((m, k), dtype, 12), exact(bshape, dtype, 13)
right = transpose(b.astype(f32)) if b_transposed else b.astype(f32)
assert max_error(mm(a, b), (a.astype(f32) @ right).astype(out_dtype)) == 0
)");
}

// kernels/attention.py without its own check. The full length is that of Mosaic GPU's test.
// inventory: EX flash_attention
TEST(Matmul, AttentionWithGroupedHeads) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/kernels/attention.py");
  std::stringstream kernel;
  kernel << file.rdbuf();
  std::string library = kernel.str();
  size_t end = library.find("# The check");
  ASSERT_NE(end, std::string::npos);
  library.resize(end);
  int count = 0;
  for (auto [heads, shared] : {std::pair(4, 1), std::pair(6, 3), std::pair(4, 4)})
    for (int width : {64, 128, 256})
      for (const char *approx : {"False", "True"}) {
        if (count++ % 5 != 0 && !full())
          continue;
        expectRuns(text(library, "heads, shared, width, length = ", heads, ", ", shared, ", ", width, ", ",
                        full() ? 4096 : 256, "\nmake = lambda: make_attention(1, length, heads, width, ",
                        "block_kv=64, stages=2, kv_heads=shared, approx=", approx, R"()
q = random((1, length, heads, width), f16, seed=14)
k, v = [random((1, length, shared, width), f16, seed=seed) for seed in (15, 16)]
result = make()(q, k, v)
for head in range(heads):
  source = head // (heads // shared)
  s = q[0, :, head].astype(f32) @ transpose(k[0, :, source].astype(f32))
  p = exp(s - reshape(max(s, axis=1), (length, 1)))
  expected = (p / reshape(sum(p, axis=1), (length, 1))) @ v[0, :, source].astype(f32)
  assert allclose(result[0, :, head].astype(f32), expected, atol=2e-3, rtol=2e-3)
)"));
      }
}

// Parameters drawn from one seed: 8 small sets, or 500 of all sizes with LANESCOPE_FULL=1.
// inventory: EX matmul_sm90
TEST(Matmul, DrawnParameters) {
  std::mt19937 random(2025); // NOLINT(bugprone-random-generator-seed): the same on every run
  std::vector<int> sizes = full() ? std::vector<int>{128, 256, 512, 2048} : std::vector<int>{128, 256};
  for (int i = 0; i < (full() ? 500 : 8); ++i)
    expectRuns(snippet(draw(random, sizes)));
}

} // namespace
} // namespace lanescope::repl
