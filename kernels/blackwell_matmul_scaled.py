# out = (a * a_scale) @ (b * b_scale)^T on Blackwell, with a scale for each block of K: mxfp8, mxfp4, nvfp4.
# lanescope run kernels/blackwell_matmul_scaled.py --arch sm_100a --device emulator

# The scales go with the operands through shared memory to tensor memory, where the tensor core reads them. Each stage
# has its own scales there, so that the next step's scales may arrive while this step's products still read theirs.
tile_m, tile_n, stages = 128, 128, 3

# `dtype` f8e4m3fn or f8e5m2 with `block=32`; f4e2m1fn with `block=32` (mxfp4) or 16 (nvfp4, scales of f8e4m3fn).
def make_matmul(dtype, scale_dtype=f8e8m0fnu, block=32):
  tile_k = 256 if dtype == f4e2m1fn else 128  # 128 bytes, the widest swizzle
  scales = tile_k // block                    # for each row of a step
  rows_of_128_bytes = (TilingTransform((8, tile_k)), SwizzleTransform(128))
  tiles = (stages, 1, scales // 4, 32, 16)    # the form in which format_tcgen05_scales puts a step's

  @kernel(grid=lambda: (M // tile_m, N // tile_n), grid_names=("row", "column"), num_threads=2, thread_name="warpgroup",
          scratch=[SMEM((stages, tile_m, tile_k), dtype, transforms=rows_of_128_bytes),
                   SMEM((stages, tile_n, tile_k), dtype, transforms=rows_of_128_bytes),
                   SMEM(tiles, scale_dtype), SMEM(tiles, scale_dtype),
                   TMEM((tile_m, tile_n), f32),
                   TMEM((stages, tile_m, scales), scale_dtype, layout=scales_layout()),
                   TMEM((stages, tile_n, scales), scale_dtype, layout=scales_layout()),
                   Barrier(num_arrivals=4, num_barriers=stages), Barrier(num_barriers=stages, orders_tensor_core=True),
                   Barrier(orders_tensor_core=True)])
  def matmul_scaled(a: GMEM((M, K), dtype), b: GMEM((N, K), dtype), a_scale: GMEM((MT, KT, 32, 16), scale_dtype),
                    b_scale: GMEM((NT, KT, 32, 16), scale_dtype), out: Out((M, N), f32),
                    a_tiles, b_tiles, a_scale_tiles, b_scale_tiles, total, a_scales, b_scales, loaded, read, done):
    assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    i, j, steps = axis_index("row"), axis_index("column"), K // tile_k

    def warps():
      warp = axis_index("warp")
      if warp == 0:
        for step in range(steps):
          stage, depth, words = step % stages, ds(step * tile_k, tile_k), ds(step * (scales // 4), scales // 4)
          if step >= stages:
            barrier_wait(read.at[stage])
          copy_gmem_to_smem(a.at[ds(i * tile_m, tile_m), depth], a_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b.at[ds(j * tile_n, tile_n), depth], b_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(a_scale.at[ds(i, 1), words], a_scale_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b_scale.at[ds(j, 1), words], b_scale_tiles.at[stage], loaded.at[stage])
      if warp == 1:
        for step in range(steps):
          stage = step % stages
          barrier_wait(loaded.at[stage])
          # The tensor core works in order, so the product sees the copies, and the barrier waits for all three.
          async_copy_scales_to_tmem(a_scale_tiles.at[stage], a_scales.at[stage])
          async_copy_scales_to_tmem(b_scale_tiles.at[stage], b_scales.at[stage])
          tcgen05_mma(total, a_tiles.at[stage], b_tiles.at[stage].T, read.at[stage], a_scale=a_scales.at[stage],
                      b_scale=b_scales.at[stage], accumulate=step > 0)
        tcgen05_commit_arrive(done)

    if axis_index("warpgroup") == 0:
      core_map(WarpMesh(axis_name="warp"))(warps)
    else:
      barrier_wait(done)
      out[ds(i * tile_m, tile_m), ds(j * tile_n, tile_n)] = async_load_tmem(total)

  return matmul_scaled

# The check, small enough for the emulator.
for dtype, scale_dtype, block in ((f8e4m3fn, f8e8m0fnu, 32), (f8e5m2, f8e8m0fnu, 32), (f4e2m1fn, f8e8m0fnu, 32),
                                  (f4e2m1fn, f8e4m3fn, 16)):
  shape, deep = (128, 1024), 1024 // block
  a, b = (random(shape, f32, seed=0) * 4).astype(dtype), (random(shape, f32, seed=1) * 4).astype(dtype)
  powers = [exp2(floor(random((128, deep), f32, seed=seed) * 3)).astype(scale_dtype) for seed in (2, 3)]
  result = make_matmul(dtype, scale_dtype, block)(a, b, *[format_tcgen05_scales(scale) for scale in powers])
  def scaled(x, scale):
    return (reshape(x.astype(f32), (128, deep, block)) * reshape(scale.astype(f32), (128, deep, 1))).reshape(shape)
  assert allclose(result, scaled(a, powers[0]) @ transpose(scaled(b, powers[1])), rtol=1e-5, atol=2e-3)
print("blackwell_matmul_scaled: the result is right")
