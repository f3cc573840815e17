# out = a @ b on every GPU since Ampere: `mma` on tiles that `cp.async` fills, or TMA where there is one.
# lanescope run kernels/ampere_matmul.py --arch sm_80 --device emulator

# A warpgroup computes 128 x 128 of the result, and each warp 64 rows by 64 columns of it (`m_warps=2`: two warps along
# the rows). So a warp loads 128 rows and columns of operands for 4096 products, and shared memory keeps up with the
# tensor cores; with 32 rows by 128 columns it would load 160, and take 6 % longer on an H200. Four steps of 32 along K take
# 64 KiB of shared memory, so an A100 and an H200 have two or more blocks per multiprocessor (docs/targets.md).
def make_ampere_matmul(dtype=f16, tile_m=128, tile_n=128, tile_k=32, stages=4, m_warps=2, out_dtype=None):
  out_dtype = dtype if out_dtype is None else out_dtype
  a_swizzled = (TilingTransform((8, tile_k)), SwizzleTransform(tile_k * dtype.itemsize))
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

  @kernel(grid=lambda: (M // tile_m, N // tile_n), grid_names=("row", "column"),
          scratch=[Union((SMEM((stages, tile_m, tile_k), dtype, transforms=a_swizzled),
                          SMEM((stages, tile_k, tile_n), dtype, transforms=swizzled)),
                         SMEM((tile_m, tile_n), out_dtype, transforms=swizzled)),  # the result, after the last step
                   Barrier(num_arrivals=2, num_barriers=stages)])
  def ampere_matmul(a: GMEM((M, K), dtype), b: GMEM((K, N), dtype), out: Out((M, N), out_dtype), buffers, loaded):
    assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    assert K // tile_k >= stages - 1, "K fills the stages"
    (a_tiles, b_tiles), result = buffers
    steps = K // tile_k
    rows, columns = ds(axis_index("row") * tile_m, tile_m), ds(axis_index("column") * tile_n, tile_n)

    def fetch(i):
      slot, along = i % stages, ds(i * tile_k, tile_k)
      copy_gmem_to_smem(a.at[rows, along], a_tiles.at[slot], loaded.at[slot], oob_mode="promise_in_bounds")
      copy_gmem_to_smem(b.at[along, columns], b_tiles.at[slot], loaded.at[slot], oob_mode="promise_in_bounds")

    for i in range(stages - 1, unroll=stages - 1):
      fetch(i)
    total = full((tile_m, tile_n), 0, f32)
    for i in range(steps):
      slot = i % stages
      barrier_wait(loaded.at[slot])
      # A copy begins when all warps are there. They have read the slot of the step before, which it fills.
      if i + stages - 1 < steps:
        fetch(i + stages - 1)
      total = mma(total, load(a_tiles.at[slot], layout=MMA_LHS(dtype, m_warps)),
                  load(b_tiles.at[slot], layout=MMA_RHS(dtype, m_warps)), m_warps)
    # Lanes hold pairs of elements. By way of shared memory, each store to global memory has 16 bytes. The result
    # lies where tiles were: the store begins with a barrier of the warpgroup, and every warp has read them before it.
    result[...] = total.astype(out_dtype)
    commit_smem()
    copy_smem_to_gmem(result, out.at[rows, columns])
    wait_smem_to_gmem(0)

  return ampere_matmul

# The check, small enough for the emulator.
for dtype, tolerance, options in ((f16, 0.05, {}), (bf16, 0.4, {}), (f16, 0.05, dict(tile_k=64, stages=3, m_warps=4))):
  a, b = random((128, 256), dtype, seed=0), random((256, 256), dtype, seed=1)
  assert allclose(make_ampere_matmul(dtype, **options)(a, b).astype(f32), a.astype(f32) @ b.astype(f32), atol=tolerance)
print("ampere_matmul: the result is right")
