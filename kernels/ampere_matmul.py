# out = a @ b on every GPU since Ampere: `mma` on tiles that `cp.async` fills, or TMA where there is one.
# lanescope run kernels/ampere_matmul.py --arch sm_80 --device emulator

# Two warpgroups compute 128 x 128 of the result, each 64 of the columns. So each warp multiplies 32 rows by 64 columns,
# and loads fewer operands for each product than with 16 rows by 128 columns. Three steps of 64 along K take 96 KiB of
# shared memory, which a block has on every target (docs/targets.md). With `tile_k=32, stages=4` it is 64 KiB.
def make_ampere_matmul(dtype=f16, tile_m=128, tile_n=128, tile_k=64, stages=3, out_dtype=None):
  out_dtype = dtype if out_dtype is None else out_dtype
  a_swizzled = (TilingTransform((8, tile_k)), SwizzleTransform(tile_k * dtype.itemsize))
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  columns, share = tile_n // 2, tile_m // 2

  @kernel(grid=lambda: (M // tile_m, N // tile_n), grid_names=("row", "column"), num_threads=2, thread_name="warpgroup",
          scratch=[Union((SMEM((stages, tile_m, tile_k), dtype, transforms=a_swizzled),
                          SMEM((stages, 2, tile_k, columns), dtype, transforms=swizzled)),
                         SMEM((2, tile_m, columns), out_dtype, transforms=swizzled)),  # the result, after the last step
                   Barrier(num_arrivals=4, num_barriers=stages)])  # each warpgroup copies half of a, and its columns of b
  def ampere_matmul(a: GMEM((M, K), dtype), b: GMEM((K, N), dtype), out: Out((M, N), out_dtype), buffers, loaded):
    assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    assert K // tile_k >= stages - 1, "K fills the stages"
    (a_tiles, b_tiles), result = buffers
    steps, warpgroup = K // tile_k, axis_index("warpgroup")
    top, left = axis_index("row") * tile_m, axis_index("column") * tile_n + warpgroup * columns
    half = ds(warpgroup * share, share)

    def fetch(i):
      slot = i % stages
      copy_gmem_to_smem(a.at[ds(top + warpgroup * share, share), ds(i * tile_k, tile_k)], a_tiles.at[slot, half],
                        loaded.at[slot], oob_mode="promise_in_bounds")
      copy_gmem_to_smem(b.at[ds(i * tile_k, tile_k), ds(left, columns)], b_tiles.at[slot, warpgroup], loaded.at[slot],
                        oob_mode="promise_in_bounds")

    for i in range(stages - 1, unroll=stages - 1):
      fetch(i)
    total = full((tile_m, columns), 0, f32)
    for i in range(steps):
      slot = i % stages
      barrier_wait(loaded.at[slot])
      # Both warpgroups have read the slot of the step before, so the copies of a later step may fill it.
      named_barrier_sync(0, num_warpgroups=2)
      if i + stages - 1 < steps:
        fetch(i + stages - 1)
      total = mma(total, load(a_tiles.at[slot], layout=MMA_LHS(dtype)),
                  load(b_tiles.at[slot, warpgroup], layout=MMA_RHS(dtype)))
    # Lanes hold pairs of elements. By way of shared memory, each store to global memory has 16 bytes.
    named_barrier_sync(0, num_warpgroups=2)
    result[warpgroup] = total.astype(out_dtype)
    commit_smem()
    copy_smem_to_gmem(result.at[warpgroup], out.at[ds(top, tile_m), ds(left, columns)])
    wait_smem_to_gmem(0)

  return ampere_matmul

# The check, small enough for the emulator.
for dtype, tolerance, options in ((f16, 0.05, {}), (bf16, 0.4, {}), (f16, 0.05, dict(tile_k=32, stages=4))):
  a, b = random((128, 256), dtype, seed=0), random((256, 256), dtype, seed=1)
  assert allclose(make_ampere_matmul(dtype, **options)(a, b).astype(f32), a.astype(f32) @ b.astype(f32), atol=tolerance)
print("ampere_matmul: the result is right")
