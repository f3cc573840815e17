# out += a @ b for few rows and a deep K. Blocks share the depth, and TMA adds their parts in global memory.
# lanescope run kernels/split_k.py

# With one tile per block, a (64, 128) result would keep one multiprocessor busy. `parts` blocks take a piece of K each.
tile_m, tile_n, tile_k, stages, parts = 64, 128, 64, 4, 8
halves = (TilingTransform((8, 64)), SwizzleTransform(128))
words = (TilingTransform((8, 32)), SwizzleTransform(128))

@kernel(grid=lambda: (M // tile_m, N // tile_n, parts), grid_names=("row", "column", "part"),
        scratch=[SMEM((stages, tile_m, tile_k), f16, transforms=halves), SMEM((stages, tile_k, tile_n), f16, transforms=halves),
                 SMEM((tile_m, tile_n), f32, transforms=words), Barrier(num_arrivals=2, num_barriers=stages),
                 ACC((tile_m, tile_n), f32)])
def split_k(a: GMEM((M, K), f16), b: GMEM((K, N), f16), out: InOut((M, N), f32), a_tiles, b_tiles, sums, loaded, total):
  whole = M % tile_m == 0 and N % tile_n == 0 and K % (parts * tile_k) == 0
  assert whole, "sizes must be multiples of the tiles, and K of `parts` times its tile"
  rows, columns = ds(axis_index("row") * tile_m, tile_m), ds(axis_index("column") * tile_n, tile_n)
  steps = K // parts // tile_k
  first = axis_index("part") * (K // parts)

  def fetch(step):
    depth, stage = ds(first + step * tile_k, tile_k), step % stages
    copy_gmem_to_smem(a.at[rows, depth], a_tiles.at[stage], loaded.at[stage])
    copy_gmem_to_smem(b.at[depth, columns], b_tiles.at[stage], loaded.at[stage])

  for step in static_range(min(stages, steps)):
    fetch(step)
  for step in range(steps):
    stage = step % stages
    barrier_wait(loaded.at[stage])
    wgmma(total, a_tiles.at[stage], b_tiles.at[stage])
    wgmma_wait(0)
    if step + stages < steps:
      fetch(step + stages)
  sums[...] = total[...]
  commit_smem()
  # The memory system adds, so no block waits. The order of the additions is not fixed, so the last bits vary.
  copy_smem_to_gmem(sums, out.at[rows, columns], reduction_op="add")
  wait_smem_to_gmem(0)

# The check, small enough for the emulator; five steps, so that a stage is used again.
a, b = random((64, 2560), f16, seed=0), random((2560, 256), f16, seed=1)
result = split_k(a, b, zeros((64, 256), f32))
assert allclose(result, a.astype(f32) @ b.astype(f32), rtol=1e-4, atol=1e-4)
print("split_k: the result is right")
