# out = a @ b^T * scale for 8-bit floats: as matmul.py, with b given row by row of the result's columns, and a scale.
# lanescope run kernels/matmul_f8.py

# 8-bit operands must run along K in both matrices, so b is (N, K), as weights are stored. 128 of K are 128 bytes.
tile_m, tile_n, tile_k = 128, 256, 128
stages, group, processors = 4, 16, 132
chunk = 64  # columns of the result that go out together

def make_matmul(a_dtype=f8e4m3fn, b_dtype=f8e4m3fn):
  rows_of_128_bytes = (TilingTransform((8, 128)), SwizzleTransform(128))

  @kernel(grid=lambda: (min(processors, M // tile_m * (N // tile_n)),), grid_names=("block",), num_threads=3,
          thread_name="warpgroup",
          scratch=[SMEM((stages, tile_m, tile_k), a_dtype, transforms=rows_of_128_bytes),
                   SMEM((stages, tile_n, tile_k), b_dtype, transforms=rows_of_128_bytes),
                   SMEM((2, 2, 64, chunk), bf16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                   Barrier(num_arrivals=2, num_barriers=stages), Barrier(num_arrivals=2, num_barriers=stages),
                   ACC((64, tile_n), f32)])
  def matmul_f8(a: GMEM((M, K), a_dtype), b: GMEM((N, K), b_dtype), scale: GMEM((1,), f32), out: Out((M, N), bf16),
                a_tiles, b_tiles, out_tiles, loaded, read, total):
    assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    block, warpgroup = axis_index("block"), axis_index("warpgroup")
    columns, tiles, steps = N // tile_n, M // tile_m * (N // tile_n), K // tile_k
    blocks = min(processors, tiles)

    def corner(tile):
      inside, first = tile % (group * columns), tile // (group * columns) * group
      rows = minimum(group, M // tile_m - first)
      return (first + inside % rows) * tile_m, inside // rows * tile_n

    done = 0
    if warpgroup == 2:
      set_max_registers(40, action="decrease")
      for tile in range(block, tiles, blocks):
        row, column = corner(tile)
        for step in range(steps):
          stage, depth = done % stages, ds(step * tile_k, tile_k)
          if done >= stages:
            barrier_wait(read.at[stage])
          copy_gmem_to_smem(a.at[ds(row, tile_m), depth], a_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b.at[ds(column, tile_n), depth], b_tiles.at[stage], loaded.at[stage])
          done = done + 1
    else:
      set_max_registers(232, action="increase")
      my_rows, factor = ds(warpgroup * 64, 64), scale[0]

      def multiply(stage):
        barrier_wait(loaded.at[stage])
        wgmma(total, a_tiles.at[stage, my_rows], b_tiles.at[stage].T)

      def put(result, tile):
        row, column = corner(tile)
        for part in static_range(tile_n // chunk):
          wait_smem_to_gmem(1, wait_read_only=True)
          out_tiles[warpgroup, part % 2] = result[:, part * chunk:(part + 1) * chunk]
          commit_smem()
          copy_smem_to_gmem(out_tiles.at[warpgroup, part % 2],
                            out.at[ds(row + warpgroup * 64, 64), ds(column + part * chunk, chunk)])

      # The result before goes out while this tile's first step is multiplied.
      result = layout_cast(full((64, tile_n), 0, bf16), WGMMA)
      for tile in range(block, tiles, blocks):
        total[...] = 0
        multiply(done % stages)
        done = done + 1
        if tile != block:
          put(result, tile - blocks)
        for step in range(1, steps):
          multiply(done % stages)
          # One step stays in flight; the one before it has read its stage.
          wgmma_wait(1)
          barrier_arrive(read.at[(done + stages - 1) % stages])
          done = done + 1
        result = (total[...] * factor).astype(bf16)
        barrier_arrive(read.at[(done + stages - 1) % stages])
      put(result, (tiles - 1 - block) // blocks * blocks + block)
      wait_smem_to_gmem(0)

  return matmul_f8

# The check, small enough for the emulator: a few blocks, so that each makes several tiles.
processors = 1
for a_dtype, b_dtype in ((f8e4m3fn, f8e4m3fn), (f8e5m2, f8e4m3fn)):
  a, b = random((256, 384), f32, seed=0).astype(a_dtype), random((512, 384), f32, seed=1).astype(b_dtype)
  result = make_matmul(a_dtype, b_dtype)(a, b, array([0.5], f32))
  expected = a.astype(f32) @ transpose(b.astype(f32)) * 0.5
  assert allclose(result.astype(f32), expected, rtol=1e-2, atol=3e-2)
print("matmul_f8: the result is right")
