# out = (a * scale) @ b with 8-bit integers a and 16-bit b: weights are stored in half the bytes, and widened in registers.
# lanescope run kernels/matmul_mixed.py
tile_m, tile_n, tile_k, stages = 128, 128, 64, 4
bytes_of_a = (TilingTransform((8, 64)), SwizzleTransform(64))
halves = (TilingTransform((8, 64)), SwizzleTransform(128))

@kernel(grid=lambda: (M // tile_m, N // tile_n), grid_names=("row", "column"), num_threads=3, thread_name="warpgroup",
        scratch=[SMEM((stages, tile_m, tile_k), i8, transforms=bytes_of_a),
                 SMEM((stages, tile_k, tile_n), bf16, transforms=halves), SMEM((2, 64, tile_n), bf16, transforms=halves),
                 Barrier(num_arrivals=2, num_barriers=stages), Barrier(num_arrivals=2, num_barriers=stages),
                 ACC((64, tile_n), f32)])
def matmul_mixed(a: GMEM((M, K), i8), scale: GMEM((M,), f32), b: GMEM((K, N), bf16), out: Out((M, N), bf16),
                 a_tiles, b_tiles, out_tiles, loaded, read, total):
  assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
  row, column, warpgroup = axis_index("row") * tile_m, axis_index("column") * tile_n, axis_index("warpgroup")
  steps = K // tile_k
  if warpgroup == 2:
    set_max_registers(40, action="decrease")
    for step in range(steps):
      stage, depth = step % stages, ds(step * tile_k, tile_k)
      if step >= stages:
        barrier_wait(read.at[stage])
      copy_gmem_to_smem(a.at[ds(row, tile_m), depth], a_tiles.at[stage], loaded.at[stage])
      copy_gmem_to_smem(b.at[depth, ds(column, tile_n)], b_tiles.at[stage], loaded.at[stage])
  else:
    set_max_registers(232, action="increase")
    my_rows = ds(warpgroup * 64, 64)
    for step in range(steps):
      stage = step % stages
      barrier_wait(loaded.at[stage])
      # WGMMA_UPCAST_2X places the bytes so that, after widening, one exchange with the neighbour gives wgmma's operand.
      wide = load(a_tiles.at[stage, my_rows], layout=WGMMA_UPCAST_2X).astype(bf16)
      wgmma(total, layout_cast(wide, WGMMA), b_tiles.at[stage])
      wgmma_wait(0)
      barrier_arrive(read.at[stage])
    # The scale is per row, so the kernel can apply it to the final sums.
    factors = load(scale.at[ds(row + warpgroup * 64, 64)], layout=WGMMA_ROW)
    out_tiles[warpgroup] = (total[...] * broadcast_in_dim(factors, (64, tile_n), (0,))).astype(bf16)
    commit_smem()
    copy_smem_to_gmem(out_tiles.at[warpgroup], out.at[ds(row + warpgroup * 64, 64), ds(column, tile_n)])
    wait_smem_to_gmem(0)

# The check, small enough for the emulator; nine steps, so that the ring of stages repeats twice.
a, b = (random((256, 576), f32, seed=0) * 127).astype(i8), random((576, 128), bf16, seed=1)
scale = random((256,), f32, seed=2) / 127
result = matmul_mixed(a, scale, b)
expected = (a.astype(f32) @ b.astype(f32)) * reshape(scale, (256, 1))
assert allclose(result.astype(f32), expected, rtol=1e-2, atol=1e-2)
print("matmul_mixed: the result is right")
