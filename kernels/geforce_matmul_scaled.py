# out = (a * a_scale) @ (b * b_scale)^T on GeForce Blackwell and DGX Spark, with a scale for each block of K: mxfp8,
# mxfp6, mxfp4, nvfp4.
# lanescope run kernels/geforce_matmul_scaled.py --arch sm_120a --device emulator

# These GPUs have no tensor memory: `mma` takes operands and scales from registers. One register of a lane holds the
# scales of four blocks, and four neighbouring lanes hold those of several tiles, so each warp reads few of them. Each
# step is 128 bytes of K; two of them take 72 KiB of a block's 99. `dtype` f8e4m3fn, f8e5m2, f6e2m3fn or f6e3m2fn with
# `block=32`; f4e2m1fn with `block=32` (mxfp4) or 16 (nvfp4, scales of f8e4m3fn). A 6-bit float takes a byte. `b_dtype`:
# b may have another type of a byte than a.
def make_geforce_matmul_scaled(dtype=f8e4m3fn, scale_dtype=f8e8m0fnu, block=32, tile_m=128, tile_n=128, stages=2,
                               out_dtype=bf16, warps=2, b_dtype=None):
  b_dtype = dtype if b_dtype is None else b_dtype
  tile_k = 256 if dtype == f4e2m1fn else 128
  scales = tile_k // block  # for each row of a step
  swizzled = (TilingTransform((8, tile_k)), SwizzleTransform(128))
  lines = (TilingTransform((8, 128 // out_dtype.itemsize)), SwizzleTransform(128))

  # The scales of a step are contiguous, (K / tile_k, rows, scales): the copy engine takes no rows of 4 or 8 bytes.
  @kernel(grid=lambda: (M // tile_m, N // tile_n), grid_names=("row", "column"),
          scratch=[Union((SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                          SMEM((stages, tile_n, tile_k), b_dtype, transforms=swizzled)),
                         SMEM((tile_m, tile_n), out_dtype, transforms=lines)),  # the result, after the last step
                   SMEM((stages, tile_m, scales), scale_dtype), SMEM((stages, tile_n, scales), scale_dtype),
                   Barrier(num_arrivals=4, num_barriers=stages)])
  def geforce_matmul_scaled(a: GMEM((M, K), dtype), b: GMEM((N, K), b_dtype), a_scale: GMEM((S, M, scales), scale_dtype),
                            b_scale: GMEM((S, N, scales), scale_dtype), out: Out((M, N), out_dtype),
                            buffers, a_scales, b_scales, loaded):
    assert M % tile_m == 0 and N % tile_n == 0 and K == S * tile_k, "sizes must be multiples of the tiles"
    assert S >= stages - 1, "K fills the stages"
    (a_tiles, b_tiles), result = buffers
    rows, columns = ds(axis_index("row") * tile_m, tile_m), ds(axis_index("column") * tile_n, tile_n)

    def fetch(i):
      slot, along, sure = i % stages, ds(i * tile_k, tile_k), "promise_in_bounds"
      copy_gmem_to_smem(a.at[rows, along], a_tiles.at[slot], loaded.at[slot], oob_mode=sure)
      copy_gmem_to_smem(b.at[columns, along], b_tiles.at[slot], loaded.at[slot], oob_mode=sure)
      copy_gmem_to_smem(a_scale.at[i, rows], a_scales.at[slot], loaded.at[slot], oob_mode=sure)
      copy_gmem_to_smem(b_scale.at[i, columns], b_scales.at[slot], loaded.at[slot], oob_mode=sure)

    for i in range(stages - 1, unroll=stages - 1):
      fetch(i)
    total = full((tile_m, tile_n), 0, f32)
    for i in range(S):
      slot = i % stages
      barrier_wait(loaded.at[slot])
      if i + stages - 1 < S:
        fetch(i + stages - 1)
      # Rows that are 8 apart share banks; with one load for several tiles, this costs no more than a load for each.
      left, right = [load(scales.at[slot], optimized=False) for scales in (a_scales, b_scales)]
      total = mma(total, a_tiles[slot], load(b_tiles.at[slot].T), warps, a_scale=left, b_scale=right)
    # The result lies where tiles were: the store begins with a barrier of the warpgroup, and every warp has read them.
    result[...] = total.astype(out_dtype)
    commit_smem()
    copy_smem_to_gmem(result, out.at[rows, columns])
    wait_smem_to_gmem(0)

  return geforce_matmul_scaled

# Brings scales of (rows, K / block) into the kernel's order.
def scales_by_step(scale, dtype, block):
  each = (256 if dtype == f4e2m1fn else 128) // block
  return transpose(reshape(scale, (scale.shape[0], scale.shape[1] // each, each)), (1, 0, 2))

# The check, small enough for the emulator.
for dtype, b_dtype, scale_dtype, block in (
    (f8e4m3fn, f8e4m3fn, f8e8m0fnu, 32), (f8e5m2, f8e5m2, f8e8m0fnu, 32), (f6e2m3fn, f6e2m3fn, f8e8m0fnu, 32),
    (f8e4m3fn, f6e3m2fn, f8e8m0fnu, 32), (f4e2m1fn, f4e2m1fn, f8e8m0fnu, 32), (f4e2m1fn, f4e2m1fn, f8e4m3fn, 16)):
  shape, deep = (128, 768), 768 // block
  a, b = (random(shape, f32, seed=0) * 4).astype(dtype), (random(shape, f32, seed=1) * 4).astype(b_dtype)
  powers = [exp2(floor(random((128, deep), f32, seed=seed) * 3)).astype(scale_dtype) for seed in (2, 3)]
  multiply = make_geforce_matmul_scaled(dtype, scale_dtype, block, b_dtype=b_dtype)
  result = multiply(a, b, *[scales_by_step(scale, dtype, block) for scale in powers])
  def scaled(x, scale):
    return (reshape(x.astype(f32), (128, deep, block)) * reshape(scale.astype(f32), (128, deep, 1))).reshape(shape)
  expected = scaled(a, powers[0]) @ transpose(scaled(b, powers[1]))
  assert allclose(result.astype(f32), expected, rtol=1e-2, atol=1e-2)
print("geforce_matmul_scaled: the result is right")
