# out = (a @ b^T) * a_scale * b_scale for 8-bit integers on every GPU since Ampere, and for 8-bit floats since Ada.
# lanescope run kernels/ampere_matmul_8bit.py --arch sm_80 --device emulator

# Both operands lie along K, as weights are stored: `mma` of 8-bit elements takes four neighbours along K in a register,
# and no instruction before Blackwell transposes 8-bit elements. Each row of a and of b has a scale. Three steps of 128
# along K take 96 KiB of shared memory.
def make_ampere_matmul_8bit(dtype=i8, tile_m=128, tile_n=128, tile_k=128, stages=3, out_dtype=bf16):
  swizzled = (TilingTransform((8, tile_k)), SwizzleTransform(tile_k))
  lines = (TilingTransform((8, 128 // out_dtype.itemsize)), SwizzleTransform(128))

  @kernel(grid=lambda: (M // tile_m, N // tile_n), grid_names=("row", "column"),
          scratch=[Union((SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                          SMEM((stages, tile_n, tile_k), dtype, transforms=swizzled)),
                         SMEM((tile_m, tile_n), out_dtype, transforms=lines)),  # the result, after the last step
                   Barrier(num_arrivals=2, num_barriers=stages)])
  def ampere_matmul_8bit(a: GMEM((M, K), dtype), b: GMEM((N, K), dtype), a_scale: GMEM((M,), f32), b_scale: GMEM((N,), f32),
                         out: Out((M, N), out_dtype), buffers, loaded):
    assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    assert K // tile_k >= stages - 1, "K fills the stages"
    (a_tiles, b_tiles), result = buffers
    steps = K // tile_k
    rows, columns = ds(axis_index("row") * tile_m, tile_m), ds(axis_index("column") * tile_n, tile_n)

    def fetch(i):
      slot, along = i % stages, ds(i * tile_k, tile_k)
      copy_gmem_to_smem(a.at[rows, along], a_tiles.at[slot], loaded.at[slot], oob_mode="promise_in_bounds")
      copy_gmem_to_smem(b.at[columns, along], b_tiles.at[slot], loaded.at[slot], oob_mode="promise_in_bounds")

    for i in range(stages - 1, unroll=stages - 1):
      fetch(i)
    sums = i32 if dtype == i8 else f32  # integers are added up exactly
    total = full((tile_m, tile_n), 0, sums)
    for i in range(steps):
      slot = i % stages
      barrier_wait(loaded.at[slot])
      if i + stages - 1 < steps:
        fetch(i + stages - 1)
      total = mma(total, load(a_tiles.at[slot], layout=MMA_LHS(dtype)), load(b_tiles.at[slot].T, layout=MMA_RHS(dtype)))
    by_row = load(a_scale.at[rows], layout=MMA_ACC(sums).reduce(1))
    by_column = load(b_scale.at[columns], layout=MMA_ACC(sums).reduce(0))
    scaled = total.astype(f32) * broadcast_in_dim(by_row, (tile_m, tile_n), (0,)) * broadcast_in_dim(by_column, (tile_m, tile_n), (1,))
    # The result overwrites the tiles: the store begins with a barrier of the warpgroup, and every warp has read them.
    result[...] = scaled.astype(out_dtype)
    commit_smem()
    copy_smem_to_gmem(result, out.at[rows, columns])
    wait_smem_to_gmem(0)

  return ampere_matmul_8bit

# The check, small enough for the emulator.
a, b = [round(random((256, 384), f32, seed=seed) * 100).astype(i8) for seed in (0, 1)]
a_scale, b_scale = [random((256,), f32, seed=seed) * 0.01 for seed in (2, 3)]
result = make_ampere_matmul_8bit()(a, b, a_scale, b_scale)
expected = (a.astype(f32) @ transpose(b.astype(f32))) * reshape(a_scale, (256, 1)) * reshape(b_scale, (1, 256))
assert allclose(result.astype(f32), expected, rtol=1e-2, atol=1e-3)
print("ampere_matmul_8bit: the result is right")
