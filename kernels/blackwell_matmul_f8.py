# out = a @ b^T * scale on Blackwell for 8-bit floats: one warp copies, one multiplies, and a warpgroup stores.
# lanescope run kernels/blackwell_matmul_f8.py --arch sm_100a --device emulator

# b is (N, K), as weights are stored. 128 of K are 128 bytes, the widest swizzle. Each block computes one tile.
# blackwell_matmul.py shows blocks that compute several tiles.
tile_m, tile_n, tile_k, stages = 128, 256, 128, 4

def make_matmul(a_dtype=f8e4m3fn, b_dtype=f8e4m3fn):
  rows_of_128_bytes = (TilingTransform((8, 128)), SwizzleTransform(128))

  @kernel(grid=lambda: (M // tile_m, N // tile_n), grid_names=("row", "column"), num_threads=2, thread_name="warpgroup",
          scratch=[SMEM((stages, tile_m, tile_k), a_dtype, transforms=rows_of_128_bytes),
                   SMEM((stages, tile_n, tile_k), b_dtype, transforms=rows_of_128_bytes),
                   SMEM((2, tile_m, 64), bf16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                   TMEM((tile_m, tile_n), f32),
                   Barrier(num_arrivals=2, num_barriers=stages), Barrier(num_barriers=stages, orders_tensor_core=True),
                   Barrier(orders_tensor_core=True)])
  def matmul_f8(a: GMEM((M, K), a_dtype), b: GMEM((N, K), b_dtype), scale: GMEM((1,), f32), out: Out((M, N), bf16),
                a_tiles, b_tiles, strips, total, loaded, read, done):
    assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    row, column, steps = axis_index("row") * tile_m, axis_index("column") * tile_n, K // tile_k

    def warps():
      warp = axis_index("warp")
      if warp == 0:
        for step in range(steps):
          stage, depth = step % stages, ds(step * tile_k, tile_k)
          if step >= stages:
            barrier_wait(read.at[stage])
          copy_gmem_to_smem(a.at[ds(row, tile_m), depth], a_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b.at[ds(column, tile_n), depth], b_tiles.at[stage], loaded.at[stage])
      if warp == 1:
        for step in range(steps):
          stage = step % stages
          barrier_wait(loaded.at[stage])
          tcgen05_mma(total, a_tiles.at[stage], b_tiles.at[stage].T, read.at[stage], accumulate=step > 0)
        tcgen05_commit_arrive(done)

    if axis_index("warpgroup") == 0:
      core_map(WarpMesh(axis_name="warp"))(warps)
    else:
      factor = scale[0]
      barrier_wait(done)
      for part in static_range(tile_n // 64):
        result = (async_load_tmem(total.at[:, part * 64:part * 64 + 64]) * factor).astype(bf16)
        wait_smem_to_gmem(1, wait_read_only=True)
        strips[part % 2] = result
        commit_smem()
        copy_smem_to_gmem(strips.at[part % 2], out.at[ds(row, tile_m), ds(column + part * 64, 64)])
      wait_smem_to_gmem(0)

  return matmul_f8

# The check, small enough for the emulator.
for a_dtype, b_dtype in ((f8e4m3fn, f8e4m3fn), (f8e5m2, f8e4m3fn)):
  a, b = random((128, 1152), f32, seed=0).astype(a_dtype), random((512, 1152), f32, seed=1).astype(b_dtype)
  result = make_matmul(a_dtype, b_dtype)(a, b, array([0.5], f32))
  expected = a.astype(f32) @ transpose(b.astype(f32)) * 0.5
  assert allclose(result.astype(f32), expected, rtol=1e-2, atol=3e-2)
print("blackwell_matmul_f8: the result is right")
