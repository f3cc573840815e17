# out[rows of group g] = a[rows of group g] @ b[g]. Rows are sorted by group, as for the experts of a mixture, and the
# data define where each group ends.
# lanescope run kernels/grouped_matmul.py

tile_m, tile_n, tile_k = 128, 128, 64
stages = 4

# `ends[g]` is the first row after group g. A group's last tile may hold rows of the next group. Then both groups
# compute it, and each stores its own rows, line by line.
def make_grouped_matmul(groups, dtype=f16):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

  # Each border between groups adds at most one tile of rows.
  @kernel(grid=lambda: (N // tile_n, M // tile_m + groups - 1), grid_names=("column", "tile"), num_threads=3,
          thread_name="warpgroup",
          scratch=[SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                   SMEM((stages, tile_k, tile_n), dtype, transforms=swizzled),
                   SMEM((2, 64, tile_n), dtype, transforms=swizzled), SMEM((2, 64, tile_n), dtype),
                   Barrier(num_arrivals=2, num_barriers=stages), Barrier(num_arrivals=2, num_barriers=stages),
                   ACC((64, tile_n), f32)])
  def grouped_matmul(a: GMEM((M, K), dtype), b: GMEM((groups, K, N), dtype), ends: GMEM((groups,), i32),
                     out: Out((M, N), dtype), a_tiles, b_tiles, out_tiles, out_lines, loaded, read, total):
    assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    number, column, warpgroup = axis_index("tile"), axis_index("column") * tile_n, axis_index("warpgroup")
    steps = K // tile_k

    # The group that computes tile `number`, the tile's first row, and the begin and end of the group's rows in it.
    group, row, low, high = -1, 0, 0, 0
    begin, before = 0, 0
    for g in static_range(groups):
      end = ends[g]
      first = begin // tile_m
      count = select(end > begin, (end + tile_m - 1) // tile_m - first, 0)
      here = (number >= before) & (number < before + count)
      at = (first + number - before) * tile_m
      group, row = select(here, g, group), select(here, at, row)
      low, high = select(here, maximum(begin, at), low), select(here, minimum(end, at + tile_m), high)
      before, begin = before + count, end

    if group >= 0:
      if warpgroup == 2:
        set_max_registers(40, action="decrease")
        for step in range(steps):
          stage, depth = step % stages, ds(step * tile_k, tile_k)
          if step >= stages:
            barrier_wait(read.at[stage])
          copy_gmem_to_smem(a.at[ds(row, tile_m), depth], a_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b.at[group, depth, ds(column, tile_n)], b_tiles.at[stage], loaded.at[stage])
      else:
        set_max_registers(232, action="increase")
        for step in range(steps):
          stage = step % stages
          barrier_wait(loaded.at[stage])
          wgmma(total, a_tiles.at[stage, ds(warpgroup * 64, 64)], b_tiles.at[stage])
          wgmma_wait(1)
          if step > 0:
            barrier_arrive(read.at[(step + stages - 1) % stages])
        result = total[...].astype(dtype)
        first = row + warpgroup * 64
        if (low <= first) & (first + 64 <= high):
          out_tiles[warpgroup] = result
          commit_smem()
          copy_smem_to_gmem(out_tiles.at[warpgroup], out.at[ds(first, 64), ds(column, tile_n)])
          wait_smem_to_gmem(0)
        else:
          store(out_lines.at[warpgroup], result, optimized=False)
          commit_smem()
          for line in range(64):
            mine = (first + line >= low) & (first + line < high)
            copy_smem_to_gmem(out_lines.at[warpgroup, ds(line, 1)], out.at[ds(first + line, 1), ds(column, tile_n)],
                              predicate=mine)
          wait_smem_to_gmem(0)

  return grouped_matmul

# The check, small enough for the emulator: a group without rows, and borders within a tile.
ends, a = [200, 200, 320, 384], random((384, 320), f16, seed=0)
b = random((4, 320, 256), f16, seed=1)
result = make_grouped_matmul(4)(a, b, array(ends, i32))
begin = 0
for group in range(4):
  if ends[group] > begin:
    expected = a[begin:ends[group]].astype(f32) @ b[group].astype(f32)
    assert allclose(result[begin:ends[group]].astype(f32), expected, rtol=1e-2, atol=1e-2)
  begin = ends[group]
print("grouped_matmul: the result is right")
