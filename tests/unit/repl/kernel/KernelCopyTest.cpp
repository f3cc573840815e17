// Copies between global and shared memory, run on the emulator: each snippet checks its own numbers.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

// Every swizzle, shape and width. A prefetch of the same slice changes nothing.
// inventory: CP tma_load_basic, tma_prefetch_basic, tma_store, PC copy_with_sole_swizzle_lowers_correctly
TEST(KernelCopy, WholeArrays) {
  for (const char *dtype : {"f32", "f16", "i4"})
    for (int swizzle : {0, 32, 64, 128})
      for (const char *rows : {"(64,)", "(5,)", "(2, 3, 5)"}) {
        if (!full() && std::string(rows) == "(64,)" && swizzle == 64)
          continue;
        expectRuns("dtype, bits, swizzle, rows = " + std::string(dtype) + ", " +
                   (dtype[1] == '3'   ? "32"
                    : dtype[0] == 'i' ? "4"
                                      : "16") +
                   ", " + std::to_string(swizzle) + ", " + rows + R"(
shape = rows + (64 if swizzle == 0 else swizzle * 8 // bits,)
@kernel(scratch=[SMEM(shape, dtype, transforms=(SwizzleTransform(swizzle),) if swizzle else ()), Barrier()])
def k(x: GMEM(shape, dtype), out: Out(shape, dtype), tile, loaded):
  async_prefetch(x)
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
x = (random(shape, f32, seed=swizzle) * 8).astype(i32).astype(dtype) if bits == 4 else random(shape, dtype, seed=swizzle)
assert max_error(k(x), x) == 0
)");
      }
}

// Two elements per byte: slices, transforms, and memory that bytes share.
// inventory: PM smem_aliasing_works_with_subbyte_dtypes, smem_aliasing_works_for_quantization
TEST(KernelCopy, FourBits) {
  expectRuns(R"(@kernel(grid=(2,), scratch=[SMEM((16, 64), u4), Barrier()])
def k(x: GMEM((32, 128), u4), out: Out((32, 64), u4), tile, loaded):
  rows = ds(program_id(0) * 16, 16)
  copy_gmem_to_smem(x.at[rows, 32:96], tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, out.at[rows])
  wait_smem_to_gmem(0)
x = (random((32, 128), f32, seed=1) * 7.5 + 7.5).astype(i32).astype(u4)
assert max_error(k(x), x[:, 32:96]) == 0
)");
  // The second member of each pair begins at byte 1024.
  expectRuns(R"(@kernel(scratch=[Union((SMEM((128,), i8), SMEM((128,), i8)), (SMEM((2048,), u4), SMEM((256,), u4)))])
def k(x: GMEM((128,), i8), out: Out((256,), u4), both):
  (_, bytes), (_, halves) = both
  bytes[...] = x[...]
  commit_smem()
  copy_smem_to_gmem(halves, out)
  wait_smem_to_gmem(0)
x = arange(128).astype(i8)
out = k(x).astype(i32)
for i in range(128):
  assert out[2 * i] == i % 16 and out[2 * i + 1] == i // 16
)");
  expectRuns(R"(@kernel()
def k(x: GMEM((64, 256), u4), out: Out((64, 256), bf16)):
  with run_scoped(Union(SMEM((64, 256), bf16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                        SMEM((64, 256), u4, transforms=(TilingTransform((8, 64)), SwizzleTransform(32)))), Barrier()) as (both, loaded):
    large, small = both
    copy_gmem_to_smem(x, small, loaded)
    barrier_wait(loaded)
    large[...] = small[...].astype(bf16) * 3
    commit_smem()
    copy_smem_to_gmem(large, out)
    wait_smem_to_gmem(0)
x = (random((64, 256), f32, seed=2) * 2 + 2).astype(i32).astype(u4)
assert max_error(k(x), x.astype(bf16) * 3) == 0
)");
  auto slice = [](const char *part, const char *barrier = ", loaded") {
    return std::string("@kernel(scratch=[SMEM((16, 32), u4), SMEM((16, 31), u4), Barrier()])\n"
                       "def k(x: GMEM((16, 64), u4), n: GMEM((1,), i32), even, odd, loaded):\n  copy_gmem_to_smem(") +
           part + barrier + ")\nk(zeros((16, 64), u4), zeros((1,), i32))\n";
  };
  expectError(slice("x.at[:, 1:33], even"), "are multiples of 2");
  expectError(slice("x.at[:, ds(n[0], 32)], even"), "known to be one");
  expectError(slice("x.at[:, 2:33], odd"), "are multiples of 2");
  expectError(slice("x.at[:, 1:33], even", ""), "are multiples of 2");
}

// If an array ends within a tile, its whole tiles are copied.
// inventory: CP tma_load_tiled_rounding
TEST(KernelCopy, WholeTilesOfAnArray) {
  for (const char *swizzle : {"", ", SwizzleTransform(128)"})
    expectRuns(std::string("transforms = (TilingTransform((32, 64))") + swizzle + R"(,)
@kernel(scratch=[SMEM((5, 32, 128), f16, transforms=transforms), Barrier()])
def k(x: GMEM((5, 32, 144), f16), out: Out((5, 32, 128), f16), tile, loaded):
  copy_gmem_to_smem(x.at[:, :, :128], tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
x = random((5, 32, 144), f16, seed=3)
assert max_error(k(x), x[:, :, :128]) == 0
)");
  expectError(R"(@kernel(scratch=[SMEM((32, 64), f16, transforms=(TilingTransform((32, 64)),)), Barrier()])
def k(x: GMEM((32, 144), f16), tile, loaded):
  copy_gmem_to_smem(x.at[:, 128:192], tile, loaded)
k(zeros((32, 144), f16))
)",
              "outside");
  expectError(R"(@kernel(scratch=[SMEM((32, 64), f16, transforms=(TilingTransform((32, 64)),)), Barrier()])
def k(x: GMEM((32, 144), f16), tile, loaded):
  copy_gmem_to_smem(x.at[:, ds(program_id(0) * 64, 64)], tile, loaded)
k(zeros((32, 144), f16))
)",
              "within its whole tiles");
}

// inventory: PC async_prefetch
TEST(KernelCopy, PrefetchesSlices) {
  for (const char *part : {"...", ":128", "128:256"})
    expectRuns(std::string(R"(@kernel(scratch=[SMEM((256,), f32), Barrier()])
def k(x: GMEM((256,), f32), out: Out((256,), f32), tile, loaded):
  async_prefetch(x.at[)") +
               part + "])\n  copy_gmem_to_smem(x.at[" + part + "], tile.at[" + part + R"(], loaded)
  barrier_wait(loaded)
  out[)" + part +
               "] = tile[" + part + R"(] + 1.0
x = arange(256).astype(f32)
assert max_error(k(x)[)" +
               part + "], x[" + part + "] + 1.0) == 0\n");
}

// inventory: DK tma_collective_async_cp
TEST(KernelCopy, LoadedByACluster) {
  for (const char *shape : {"(128,)", "(128, 128)"})
    expectRuns(std::string("shape = ") + shape + R"(
@kernel(cluster=(2,), cluster_names=("x",), scratch=[SMEM(shape, f32), Barrier()])
def k(x: GMEM(shape, f32), out: Out((2,) + shape, f32), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded, collective_axes="x")
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, out.at[axis_index("x")])
  wait_smem_to_gmem(0)
x = random(shape, f32, seed=4)
out = k(x)
assert max_error(out[0], x) == 0 and max_error(out[1], x) == 0
)");
}

// inventory: CP tma_load_tiled, tma_prefetch_tiled, tma_with_1d_tiling, tma_collective_async_cp_with_no_swizzle
// inventory: PC copy_with_transforms
TEST(KernelCopy, TiledArrays) {
  for (const char *dtype : {"f32", "f16"})
    for (const char *shape : {"(128, 128)", "(5, 32, 128)"})
      for (const char *transforms :
           {"(TilingTransform((8, 128 * 8 // bits)), SwizzleTransform(128))", "(TilingTransform((8, 32)),)",
            "(TilingTransform((1, 128 * 8 // bits)), SwizzleTransform(128))", "(TilingTransform((32,)),)"})
        expectRuns("dtype, bits, shape = " + std::string(dtype) + ", " + (dtype[1] == '3' ? "32" : "16") + ", " +
                   shape + "\ntransforms = " + transforms + R"(
@kernel(scratch=[SMEM(shape, dtype, transforms=transforms), Barrier()])
def k(x: GMEM(shape, dtype), out: Out(shape, dtype), tile, loaded):
  async_prefetch(x)
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
x = random(shape, dtype, seed=1)
assert max_error(k(x), x) == 0
)");
}

// inventory: CP tma_load_indexed_tiled, tma_squeeze_indexing
// inventory: PC copy_gmem_to_smem_squeeze, copy_with_transforms_and_indexing, copy_gmem_to_smem_dynamic_slice
// inventory: PC copy_gmem_to_smem_with_multiple_gmem_indexers, copy_smem_to_gmem_with_multiple_gmem_indexers
// inventory: PC gmem_to_smem_with_multiple_smem_indexers, gmem_to_smem_with_multiple_smem_indexers_and_transforms
TEST(KernelCopy, SlicesOfSlices) {
  expectRuns(R"(swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(grid=(4,), scratch=[SMEM((2, 64, 128), f16, transforms=swizzled), SMEM((32,), f16), Barrier(num_barriers=3)])
def k(x: GMEM((128, 4, 256), f16), out: Out((4, 64, 128), f16), row: Out((4, 32), f16), tile, line, b):
  i = program_id(0)
  part = x.at[64:128, i, 128:256]
  copy_gmem_to_smem(part, tile.at[1], b.at[0])
  copy_gmem_to_smem(x.at[ds(i * 32, 32), 2].at[:, ds(64 * i, 128)], tile.at[0].at[32:64], b.at[1])
  copy_gmem_to_smem(x.at[i * 3].at[3, 0:64].at[32:64], line, b.at[2])
  barrier_wait(b.at[0])
  barrier_wait(b.at[1])
  barrier_wait(b.at[2])
  copy_smem_to_gmem(tile.at[1], out.at[i])
  copy_smem_to_gmem(line, row.at[0:4].at[i, 0:32])
  wait_smem_to_gmem(0)
  copy_smem_to_gmem(tile.at[0, 32:64], out.at[i].at[0:32, ds(0, 128)])
  wait_smem_to_gmem(0)
x = random((128, 4, 256), f16, seed=2)
out, row = k(x)
assert max_error(out[1, 0:32], x[32:64, 2, 64:192]) == 0
for i in range(4):
  assert max_error(row[i], x[i * 3, 3, 32:64]) == 0
  wanted = x[64:128, i, 128:256]
  assert max_error(out[i, 32:64], wanted[32:64]) == 0
)");
}

// Integer indices before more dimensions than a descriptor has are combined into one dimension.
// inventory: PC copy_7d_tiling_with_unit_middle_dims
// inventory: CP tma_load_oob_over_trivial_gmem_dimension
TEST(KernelCopy, ManyDimensions) {
  expectRuns(
      R"(@kernel(grid=(2, 3, 4), scratch=[SMEM((32, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                 Barrier()])
def k(x: GMEM((2, 3, 4, 5, 32, 64), f16), out: Out((2, 3, 4, 32, 64), f16), tile, b):
  i, j, l = program_id(0), program_id(1), program_id(2)
  copy_gmem_to_smem(x.at[i, j, l, 3], tile, b)
  barrier_wait(b)
  copy_smem_to_gmem(tile, out.at[i, j, l])
  wait_smem_to_gmem(0)
x = random((2, 3, 4, 5, 32, 64), f16, seed=3)
out = k(x)
for i in range(2):
  for j in range(3):
    for l in range(4):
      assert max_error(out[i, j, l], x[i, j, l, 3]) == 0
)");
  expectRuns(R"(shape = (2, 64, 1, 1, 1, 1, 128)
@kernel(scratch=[SMEM(shape, f32), Barrier()])
def k(x: GMEM(shape, f32), out: Out(shape, f32), tile, b):
  copy_gmem_to_smem(x, tile, b)
  barrier_wait(b)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
x = random(shape, f32, seed=3)
assert max_error(k(x), x) == 0
)");
}

// Elements beyond the array are zero in a load, and are not stored.
TEST(KernelCopy, OverTheEnd) {
  expectRuns(
      R"(@kernel(grid=(3,), scratch=[SMEM((64, 128), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                 SMEM((128, 32), f32), Barrier(num_barriers=2)])
def k(x: GMEM((136, 128), f16), y: GMEM((100, 32), f32), out: Out((136, 128), f16), seen: Out((3, 64, 128), f16),
      small: Out((128, 32), f32), tile, other, b):
  i = program_id(0)
  copy_gmem_to_smem(x.at[ds(i * 64, 64)], tile, b.at[0])
  copy_gmem_to_smem(y.at[ds(0, 128)], other, b.at[1])
  barrier_wait(b.at[0])
  barrier_wait(b.at[1])
  copy_smem_to_gmem(tile, out.at[ds(i * 64, 64)])
  seen[i] = tile[...]
  if i == 0:
    small[...] = other[...]
  wait_smem_to_gmem(0)
x, y = ones((136, 128), f16) + random((136, 128), f16, seed=4), ones((100, 32), f32)
out, seen, small = k(x, y)
assert max_error(out, x) == 0
assert max_error(seen[2, 0:8], x[128:136]) == 0
assert max_error(seen[2, 8:64], zeros((56, 128), f16)) == 0
assert max_error(small[0:100], y) == 0 and max_error(small[100:128], zeros((28, 32), f32)) == 0
)");
}

// A copy that is transposed on both sides, or only in its leading dimensions, moves the same memory.
// inventory: PM smem_gmem_transposed_copies, indexing_before_transpose, indexing_after_transpose
TEST(KernelCopy, Transposed) {
  expectRuns(R"(@kernel(scratch=[SMEM((2, 4, 64), f32), SMEM((64, 32), f32), Barrier(num_barriers=2)])
def k(x: GMEM((4, 2, 64), f32), y: GMEM((64, 64), f32), out: Out((2, 4, 64), f32), back: Out((4, 2, 64), f32),
      square: Out((64, 32), f32), tile, flat, b):
  copy_gmem_to_smem(x.transpose((1, 0, 2)), tile, b.at[0])
  copy_gmem_to_smem(y.at[:, 32:64].T, flat.T, b.at[1])
  barrier_wait(b.at[0])
  barrier_wait(b.at[1])
  copy_smem_to_gmem(tile, out)
  copy_smem_to_gmem(tile.transpose((1, 0, 2)), back)
  copy_smem_to_gmem(flat.T.at[0:32], square.T.at[0:32])
  wait_smem_to_gmem(0)
x, y = random((4, 2, 64), f32, seed=5), random((64, 64), f32, seed=6)
out, back, square = k(x, y)
for i in range(4):
  for j in range(2):
    assert max_error(out[j, i], x[i, j]) == 0
assert max_error(back, x) == 0
assert max_error(square, y[:, 32:64]) == 0
)");
}

// inventory: PC copy_smem_to_gmem_reduction
TEST(KernelCopy, Reductions) {
  for (const char *dtype : {"f32", "f16", "bf16", "i32"})
    expectRuns("dtype = " + std::string(dtype) + R"(
@kernel(grid=(3,), scratch=[SMEM((128,), dtype)])
def k(x: GMEM((128,), dtype), out: InOut((128,), dtype), tile):
  tile[...] = x[...]
  commit_smem()
  copy_smem_to_gmem(tile, out, reduction_op="add")
  wait_smem_to_gmem(0)
x = (arange(128) % 7).astype(dtype)
assert max_error(k(x, x * 2), x * 5) == 0
)");
  expectRuns(R"(@kernel(scratch=[SMEM((4, 128), i32)])
def k(x: GMEM((128,), i32), out: InOut((4, 128), i32), tile):
  for i in static_range(4):
    tile[i] = x[...]
  commit_smem()
  copy_smem_to_gmem(tile.at[0], out.at[0], reduction_op="min")
  copy_smem_to_gmem(tile.at[1], out.at[1], reduction_op="max")
  copy_smem_to_gmem(tile.at[2], out.at[2], reduction_op="and")
  copy_smem_to_gmem(tile.at[3], out.at[3], reduction_op="xor")
  wait_smem_to_gmem(0)
x = arange(128).astype(i32) - 64
out = k(x, full((4, 128), 5, i32))
for i in range(128):
  v = i - 64
  assert [out[j, i] for j in range(4)] == [min(v, 5), max(v, 5), v & 5, v ^ 5]
)");
  // `inc` and `dec` are unsigned, whatever dtype the elements have (PTX ISA, `red`).
  for (const char *dtype : {"i32", "u32"})
    expectRuns("dtype = " + std::string(dtype) + R"(
@kernel(scratch=[SMEM((2, 128), dtype)])
def k(x: GMEM((128,), dtype), out: InOut((2, 128), dtype), tile):
  for i in static_range(2):
    tile[i] = x[...]
  commit_smem()
  copy_smem_to_gmem(tile.at[0], out.at[0], reduction_op="inc")
  copy_smem_to_gmem(tile.at[1], out.at[1], reduction_op="dec")
  wait_smem_to_gmem(0)
out = k(full((128,), 7, dtype), reshape((arange(256) % 10).astype(dtype), (2, 128)))
for i in range(128):
  up, down = i % 10, (128 + i) % 10
  assert out[0, i] == (0 if up >= 7 else up + 1) and out[1, i] == (7 if down == 0 or down > 7 else down - 1)
)");
}

// inventory: PC copy_smem_to_gmem_predicate, copy_smem_to_gmem_explicit_commit_group, copy_gmem_to_smem_predicate
TEST(KernelCopy, Predicates) {
  expectRuns(R"(@kernel(grid=(2,), scratch=[SMEM((128,), f32), Barrier()])
def k(x: GMEM((128,), f32), out: InOut((2, 128), f32), tile, b):
  i = program_id(0)
  tile[...] = broadcasted_iota(f32, (128,), 0)
  commit_smem()
  copy_gmem_to_smem(x, tile, b, predicate=i == 1)
  barrier_wait(b)
  copy_smem_to_gmem(tile, out.at[i], predicate=True, commit_group=False)
  copy_smem_to_gmem(tile, out.at[1 - i], predicate=False, commit_group=False)
  commit_smem_to_gmem_group()
  wait_smem_to_gmem(0)
x = random((128,), f32, seed=7)
out = k(x, zeros((2, 128), f32))
assert max_error(out[0], arange(128).astype(f32)) == 0 and max_error(out[1], x) == 0
)");
}

// inventory: CP cp_async_tiled_sliced, cp_async_untiled, cp_async_untiled_squeezed_dims
TEST(KernelCopy, WithoutTma) {
  for (const char *barrier : {"True", "False"})
    for (const char *dtype : {"f32", "f16"})
      for (const char *transforms : {"()", "(TilingTransform((8, 32 * 8 // bits)), SwizzleTransform(32))",
                                     "(TilingTransform((8, 128 * 8 // bits)), SwizzleTransform(128))"})
        expectRuns("barrier, dtype, bits = " + std::string(barrier) + ", " + dtype + ", " +
                   (dtype[1] == '3' ? "32" : "16") + "\ntransforms = " + transforms + R"(
how = None if not barrier else "cp_async"
@kernel(grid=(2,), scratch=[SMEM((64, 128), dtype, transforms=transforms), SMEM((5, 40), f32), Barrier()])
def k(x: GMEM((3, 128, 256), dtype), y: GMEM((2, 5, 40), f32), out: Out((2, 64, 128), dtype), tile, odd, b):
  i = program_id(0)
  copy_gmem_to_smem(y.at[i], odd)
  copy_gmem_to_smem(x.at[i + 1, ds(i * 64, 64), 128:256], tile, b if barrier else None, implementation=how)
  if barrier:
    barrier_wait(b)
  wait_gmem_to_smem(0)
  out[i] = tile[...] + (odd[4, 39] - odd[4, 39]).astype(dtype)
x, y = random((3, 128, 256), dtype, seed=8), random((2, 5, 40), f32, seed=9)
out = k(x, y)
for i in range(2):
  assert max_error(out[i], x[i + 1, i * 64:i * 64 + 64, 128:256]) == 0
)");
}

// Rows of one swizzle, whole, sliced and squeezed, in lines and in tiles of 64.
// inventory: DK kernel_with_tma
TEST(KernelCopy, SlicesOfOneSwizzle) {
  for (int swizzle : {0, 16, 32, 64, 128})
    for (const char *what :
         {"(128, n), 0, False", "(256, n), 0, False", "(2, 128, n), 1, False", "(256, n), 0, True"}) {
      if (swizzle == 0 && what[1] != '1')
        continue;
      expectRuns("swizzle = " + std::to_string(swizzle) + "\nn = max(16, swizzle) // 2\nS, which, tiled = " + what + R"(
how = ((TilingTransform((64, n)),) if tiled else ()) + ((SwizzleTransform(swizzle),) if swizzle > 16 else ())
@kernel(scratch=[SMEM((128, n), bf16, transforms=how), Barrier()])
def k(x: GMEM(S, bf16), out: Out((128, n), bf16), tile, loaded):
  copy_gmem_to_smem(x.at[which] if len(S) == 3 else x.at[:128], tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
x = random(S, bf16, seed=swizzle)
assert max_error(k(x), x[1] if len(S) == 3 else x[:128]) == 0
)");
    }
}

// inventory: PC copy_gmem_to_smem, copy_smem_to_gmem
TEST(KernelCopy, PartsOfAVector) {
  for (const char *part : {"...", "0:128", ":128"})
    expectRuns(std::string(R"(
@kernel(scratch=[SMEM((256,), f32), Barrier()])
def load_part(x: GMEM((256,), f32), out: Out((256,), f32), tile, loaded):
  tile[...] = zeros((256,), f32)
  commit_smem()
  copy_gmem_to_smem(x.at[)") +
               part + "], tile.at[" + part + R"(], loaded, oob_mode="promise_in_bounds")
  barrier_wait(loaded)
  out[...] = tile[...] + 1
@kernel(scratch=[SMEM((256,), f32)])
def store_part(x: GMEM((256,), f32), out: Out((256,), f32), tile):
  tile[...] = x[...] + 1
  commit_smem()
  copy_smem_to_gmem(tile.at[)" +
               part + "], out.at[" + part + R"(])
  wait_smem_to_gmem(0)
x = arange(256).astype(f32)
loaded, stored = load_part(x), store_part(x)
assert max_error(loaded[)" +
               part + "], x[" + part + "] + 1) == 0\nassert max_error(stored[" + part + "], x[" + part +
               "] + 1) == 0\n");
}

// inventory: CP tma_small_tile_load, tma_small_tile_store
TEST(KernelCopy, SmallTiles) {
  for (const char *shape : {"(4, 128)", "(128, 8)"})
    expectRuns("shape = " + std::string(shape) + R"(
@kernel(scratch=[SMEM(shape, f16), Barrier()])
def k(x: GMEM(shape, f16), out: Out(shape, f16), tile, b):
  copy_gmem_to_smem(x, tile, b)
  barrier_wait(b)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
x = random(shape, f16, seed=10)
assert max_error(k(x), x) == 0
)");
}

// inventory: CP tma_invalid
// inventory: PC copy_gmem_to_smem_raises_on_mismatched_shapes, copy_smem_to_gmem_raises_on_mismatched_shapes
// inventory: PC copy_gmem_to_smem_raises_on_mismatched_dtypes, copy_smem_to_gmem_raises_on_mismatched_dtypes
// inventory: PC copy_gmem_to_smem_raises_on_mismatched_shapes_partitioned
TEST(KernelCopy, Mistakes) {
  auto in = [](const std::string &buffer, const std::string &slice, const std::string &extra = "") {
    return "@kernel(scratch=[" + buffer +
           ", Barrier()])\ndef k(x: GMEM((512, 4, 264), f16), out: Out((128,), f16), t, b):\n"
           "  copy_gmem_to_smem(" +
           slice + ", t, b" + extra + ")\nk(zeros((512, 4, 264), f16))\n";
  };
  expectError(in("SMEM((64, 64), f16)", "x.at[0:64, 0, 0:32]"), "the destination tile has shape (64, 64)");
  expectError(in("SMEM((64, 64), f32)", "x.at[0:64, 0, 0:64]"), "the destination tile has dtype f32");
  expectError(in("SMEM((512, 64), f16)", "x.at[:, 0, 0:64]"), "TMA takes at most 256");
  expectError(in("SMEM((64, 4), f16)", "x.at[0:64, 0, 0:4]"), "TMA needs a multiple of 16");
  expectError(in("SMEM((64, 64), f16, transforms=SwizzleTransform(128))", "x.at[0:64, 0, 0:64].T"), "cannot transpose");
  expectError(in("SMEM((2, 64, 64), f16)", "x.at[0:64, 0, 0:64]"), "the destination tile has shape (2, 64, 64)");
  expectError(in("SMEM((64, 64), f16, transforms=TilingTransform((8, 32)))", "x.at[ds(4, 64), 0, 0:64]"),
              "must be a multiple of the shared memory's tile size 8");
  expectError(in("SMEM((64, 64), f16)", "x.at[0:64, 0, 0:64]", ", implementation=\"dma\""), "\"tma\" or \"cp_async\"");
  expectError("@kernel(scratch=[SMEM((64, 64), f16)])\ndef k(x: GMEM((64, 64), f16), t):\n"
              "  copy_gmem_to_smem(x, t, implementation=\"tma\")\nk(zeros((64, 64), f16))\n",
              "needs a barrier");
  expectError("@kernel(scratch=[SMEM((64, 7), f16), Barrier()])\ndef k(x: GMEM((64, 7), f16), t, b):\n"
              "  copy_gmem_to_smem(x, t, b)\nk(zeros((64, 7), f16))\n",
              "TMA needs a multiple of 16");
  expectError("@kernel(scratch=[SMEM((64, 8), f16), Barrier()])\ndef k(x: GMEM((64, 12), f16), t, b):\n"
              "  copy_gmem_to_smem(x.at[:, 0:8], t, b)\nk(zeros((64, 12), f16))\n",
              "TMA needs multiples of 16");
  expectError(
      "@kernel(scratch=[SMEM((2, 2, 2, 2, 2, 8), f16), Barrier()])\ndef k(x: GMEM((2, 2, 2, 2, 2, 8), f16), t, b):\n"
      "  copy_gmem_to_smem(x, t, b)\nk(zeros((2, 2, 2, 2, 2, 8), f16))\n",
      "TMA has at most 5");
  expectError("@kernel(scratch=[SMEM((4, 64, 64), f16), Barrier()])\ndef k(x: GMEM((64, 32), f16), t, b):\n"
              "  copy_gmem_to_smem(x, t.at[0, :, 0:32], b)\nk(zeros((64, 32), f16))\n",
              "must be contiguous");
  expectError("@kernel(scratch=[SMEM((64, 3), f16)])\ndef k(x: GMEM((64, 3), f16), t):\n"
              "  copy_gmem_to_smem(x, t)\nk(zeros((64, 3), f16))\n",
              "pieces of 4, 8 or 16 bytes");
  for (const auto &[dtype, op, message] :
       {std::tuple("f32", "min", "do not combine elements of f32"),
        std::tuple("f16", "and", "do not combine elements of f16"),
        std::tuple("f32", "inc", "do not combine elements of f32"), std::tuple("f32", "mean", "\"add\", \"min\"")})
    expectError(std::string("@kernel(scratch=[SMEM((128,), ") + dtype + ")])\ndef k(out: Out((128,), " + dtype +
                    "), t):\n  copy_smem_to_gmem(t, out, reduction_op=\"" + op + "\")\nk()\n",
                message);
  expectError("@kernel(scratch=[SMEM((64,), f16)])\ndef k(x: GMEM((128,), f16), t):\n"
              "  copy_gmem_to_smem(x.at[ds(100, 64)], t)\nk(zeros((128,), f16))\n",
              "reaches over the end");
  expectError("@kernel(scratch=[SMEM((64,), f16)])\ndef k(x: GMEM((128,), f16), t):\n"
              "  async_prefetch(t)\nk(zeros((128,), f16))\n",
              "must be a GMEM reference");
}

} // namespace
} // namespace lanescope::repl
