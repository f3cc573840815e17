# out = a @ b for f16, bf16, i8 and 8-bit floats, operands stored either way. In persistent blocks, a warpgroup copies
# and two multiply, and store a result during the next tile. If tiles are few and K is deep, several blocks share one.
# lanescope run kernels/matmul.py

# A block computes 128 x 256 of the result. The larger the tile, the fewer bytes each product needs; 64 x 256 sums fill
# half of the registers of a warpgroup's threads. 128 bytes along K are the widest swizzle.
tile_m, tile_n = 128, 256
stages = 4          # steps of K in flight: as many as fit beside the tiles of the result
processors = 132    # an H200's multiprocessors, with one block each

# `group` rows of tiles run together, so that their share of b stays in the L2 cache. `pair` blocks of a cluster work on
# tiles one below the other: each loads a share of the part of b that both need, and sends it to both (multicast).
# `a_transposed`: a is stored as (K, M); `b_transposed`: b is stored as (N, K), as 8-bit operands must be; `b_dtype`:
# b's 8-bit float, if not a's. `scaled`: a third input, one f32, multiplies the result. `parts` blocks share a tile's K
# and add their sums, in no fixed order, to the caller's f32 result, which holds zeros or another sum.
def make_matmul(dtype, pair=1, group=8, a_transposed=False, b_transposed=False, out_dtype=None, b_dtype=None, scaled=False, parts=1):
  b_dtype = dtype if b_dtype is None else b_dtype
  narrow = dtype in (i8, f8e4m3fn, f8e5m2)
  sums = i32 if dtype == i8 else f32
  out_dtype = out_dtype if out_dtype is not None else i32 if dtype == i8 else bf16 if narrow else dtype
  assert not narrow or (b_transposed and not a_transposed), "8-bit operands run along K: a of (M, K), b of (N, K)"
  assert pair == 1 or not b_transposed, "a cluster shares b by rows of K"
  assert parts == 1 or (out_dtype == f32 and pair == 1 and not scaled), "parts of a sum are added up in f32, as they are"
  tile_k = 128 if narrow else 64
  swizzled = (TilingTransform((8, tile_k)), SwizzleTransform(128))
  chunk = 32 if out_dtype in (i32, f32) else 64  # columns of the result in one copy: 128 bytes
  lines = (TilingTransform((8, chunk)), SwizzleTransform(128))

  launch = dict(
      grid=lambda: (min(processors, M // tile_m * (N // tile_n) * parts) // pair,), grid_names=("cluster",),
      cluster=(pair,), cluster_names=("member",), num_threads=3, thread_name="warpgroup",
      scratch=[SMEM((stages, tile_k, tile_m) if a_transposed else (stages, tile_m, tile_k), dtype, transforms=swizzled),
               SMEM((stages, tile_n, tile_k) if b_transposed else (stages, tile_k, tile_n), b_dtype, transforms=swizzled),
               SMEM((2, 2, 64, chunk), out_dtype, transforms=lines),
               Barrier(num_arrivals=2, num_barriers=stages),  # a and b have arrived
               # All multiplying warpgroups of the cluster have read them.
               ClusterBarrier(collective_axes=("member",), num_arrivals=2, num_barriers=stages),
               ACC((64, tile_n), sums)])
  def multiply_all(a, b, scale, out, a_tiles, b_tiles, out_tiles, loaded, read, total):
    block, warpgroup = axis_index("cluster") * pair + axis_index("member"), axis_index("warpgroup")
    (M, N), K = out.shape, a.shape[0] if a_transposed else a.shape[1]
    columns, tiles, steps = N // tile_n, M // tile_m * (N // tile_n), K // tile_k
    blocks = min(processors, tiles * parts) // pair * pair
    assert M % (tile_m * pair) == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    assert parts <= steps, "a part is at least one step"
    # A waiting result fits only if its elements are half as wide: it then takes half as many registers as the sums.
    overlap = tiles > blocks and out_dtype not in (i32, f32)

    # A block's unit of work: a tile, with all steps of K or one of `parts` shares of them.
    def share(work):
      if parts == 1:
        return work, 0, steps
      part = work % parts
      return work // parts, part * steps // parts, (part + 1) * steps // parts

    # The place of tile number `tile`. Numbers go down `group` rows of tiles, then to the next column.
    def corner(tile):
      inside, first = tile % (group * columns), tile // (group * columns) * group
      # The last group may have fewer rows. If all have as many, no division depends on a number known only at run time.
      rows = group if M // tile_m % group == 0 else minimum(group, M // tile_m - first)
      return (first + inside % rows) * tile_m, inside // rows * tile_n

    done = 0  # steps so far, over all tiles: the ring of stages continues from tile to tile
    if warpgroup == 2:
      if overlap:
        # Copying needs few registers. The released ones hold waiting results beside the other warpgroups' sums.
        set_max_registers(40, action="decrease")
      for work in range(block, tiles * parts, blocks):
        tile, first, last = share(work)
        row, column = corner(tile)
        for step in range(first, last):
          stage, down, along, depth = done % stages, ds(row, tile_m), ds(column, tile_n), ds(step * tile_k, tile_k)
          if done >= stages:
            barrier_wait(read.at[stage])
          copy_gmem_to_smem(a.at[depth, down] if a_transposed else a.at[down, depth], a_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b.at[along, depth] if b_transposed else b.at[depth, along], b_tiles.at[stage],
                            loaded.at[stage], collective_axes="member")
          done = done + 1
    else:
      if overlap:
        set_max_registers(232, action="increase")
      mine = ds(warpgroup * 64, 64)
      factor = scale[0] if scaled else None

      def multiply(stage):
        barrier_wait(loaded.at[stage])
        wgmma(total, a_tiles.at[stage, :, mine].T if a_transposed else a_tiles.at[stage, mine],
              b_tiles.at[stage].T if b_transposed else b_tiles.at[stage])

      # Stores whole lines, through shared memory. It writes one part while the previous part is in flight.
      def put(result, tile):
        row, column = corner(tile)
        for part in static_range(tile_n // chunk):
          wait_smem_to_gmem(1, wait_read_only=True)
          out_tiles[warpgroup, part % 2] = result[:, part * chunk:(part + 1) * chunk]
          commit_smem()
          copy_smem_to_gmem(out_tiles.at[warpgroup, part % 2],
                            out.at[ds(row + warpgroup * 64, 64), ds(column + part * chunk, chunk)],
                            reduction_op="add" if parts > 1 else None)

      result = layout_cast(full((64, tile_n), 0, out_dtype), WGMMA)
      for work in range(block, tiles * parts, blocks):
        tile, first, last = share(work)
        total[...] = 0
        for step in range(first, last):
          multiply(done % stages)
          if step > first:
            # One step stays in flight, so that the tensor cores never wait. The step before it has read its stage.
            wgmma_wait(1)
            barrier_arrive(read.at[(done + stages - 1) % stages])
          elif overlap and tile != block:
            put(result, tile - blocks)
          done = done + 1
        result = (total[...] * factor if scaled else total[...]).astype(out_dtype)
        barrier_arrive(read.at[(done + stages - 1) % stages])
        if not overlap:
          put(result, tile)
      if overlap:
        put(result, (tiles - 1 - block) // blocks * blocks + block)
      wait_smem_to_gmem(0)

  if scaled:
    @kernel(**launch)
    def matmul(a: GMEM((K, M) if a_transposed else (M, K), dtype), b: GMEM((N, K) if b_transposed else (K, N), b_dtype),
               scale: GMEM((1,), f32), out: Out((M, N), out_dtype), a_tiles, b_tiles, out_tiles, loaded, read, total):
      multiply_all(a, b, scale, out, a_tiles, b_tiles, out_tiles, loaded, read, total)
  elif parts > 1:
    @kernel(**launch)
    def matmul(a: GMEM((K, M) if a_transposed else (M, K), dtype), b: GMEM((N, K) if b_transposed else (K, N), b_dtype),
               out: InOut((M, N), out_dtype), a_tiles, b_tiles, out_tiles, loaded, read, total):
      multiply_all(a, b, None, out, a_tiles, b_tiles, out_tiles, loaded, read, total)
  else:
    @kernel(**launch)
    def matmul(a: GMEM((K, M) if a_transposed else (M, K), dtype), b: GMEM((N, K) if b_transposed else (K, N), b_dtype),
               out: Out((M, N), out_dtype), a_tiles, b_tiles, out_tiles, loaded, read, total):
      multiply_all(a, b, None, out, a_tiles, b_tiles, out_tiles, loaded, read, total)

  return matmul

# The fastest on an H200, by (M, N, K). Other sizes take the nearest row, or the result of `tune` on this machine.
configurations = {
    (2048, 2048, 2048): dict(group=4), (4096, 4096, 4096): dict(group=16), (8192, 8192, 8192): dict(group=16),
    (16384, 4096, 1024): dict(group=16), (1024, 8192, 8192): dict(group=8), (4096, 4096, 16384): dict(group=8)}
# For results in f32: the number of parts of a tile's K. They were not measured on a GPU: of 1, 2, 4, 8 and 16 they are
# the fastest by the emulator's cost model, which does not count additions in the L2 cache.
splits = {
    (512, 512, 512): dict(parts=4), (512, 512, 4096): dict(parts=16), (1024, 1024, 1024): dict(parts=4),
    (1024, 1024, 16384): dict(parts=4), (2048, 2048, 2048): dict(parts=1), (8192, 8192, 8192): dict(parts=1)}

# The product for these sizes, as a function of a and b (and of a scale if it is `scaled`).
def matmul_for(m, n, k, dtype=f16, out_dtype=None, **options):
  chosen = tuned("matmul", (m, n, k), configurations)
  shared = out_dtype == f32 and options.get("pair", 1) == 1 and not options.get("scaled", False)
  parts = min(chosen.get("parts", tuned("matmul_parts", (m, n, k), splits)["parts"]), max(1, k // 128)) if shared else 1
  others = {name: value for name, value in chosen.items() if name != "parts"}
  product = make_matmul(dtype, parts=parts, out_dtype=out_dtype, **options, **others)
  return product if parts == 1 else lambda a, b: product(a, b, zeros((m, n), f32))

# The check, small enough for the emulator: a few blocks, so that each makes several tiles.
processors = 6
a, b = random((1280, 192), f32, seed=0), random((192, 512), f32, seed=1)
expected = a @ b
for dtype, options in ((f16, {}), (bf16, {}), (f16, dict(pair=2)), (f16, dict(a_transposed=True)), (f16, dict(b_transposed=True))):
  left, right = transpose(a) if "a_transposed" in options else a, transpose(b) if "b_transposed" in options else b
  result = matmul_for(1280, 512, 192, dtype, **options)(left.astype(dtype), right.astype(dtype))
  assert allclose(result.astype(f32), expected, rtol=2e-2, atol=6e-2)
a, b = (random((256, 256), f32, seed=0) * 100).astype(i8), (random((256, 256), f32, seed=1) * 100).astype(i8)
assert max_error(make_matmul(i8, b_transposed=True)(a, b), a.astype(i32) @ transpose(b.astype(i32))) == 0
processors = 1
for a_dtype, b_dtype in ((f8e4m3fn, f8e4m3fn), (f8e5m2, f8e4m3fn)):
  a, b = random((256, 384), f32, seed=0).astype(a_dtype), random((512, 384), f32, seed=1).astype(b_dtype)
  result = make_matmul(a_dtype, group=16, b_transposed=True, b_dtype=b_dtype, scaled=True)(a, b, array([0.5], f32))
  assert allclose(result.astype(f32), a.astype(f32) @ transpose(b.astype(f32)) * 0.5, rtol=1e-2, atol=3e-2)
# Few tiles of a deep K: more blocks than tiles, and parts of unequal size.
processors = 4
a, b = random((128, 1472), f16, seed=0), random((1472, 256), f16, seed=1)
expected = a.astype(f32) @ b.astype(f32)
assert allclose(make_matmul(f16, out_dtype=f32, parts=3)(a, b, zeros((128, 256), f32)), expected, rtol=1e-3, atol=1e-3)
assert allclose(matmul_for(128, 256, 1472, out_dtype=f32)(a, b), expected, rtol=1e-3, atol=1e-3)
print("matmul: the result is right")
