# out = a @ b for f16 or bf16: persistent blocks, one warpgroup that copies, two that multiply, in clusters that may share b.
# lanescope run kernels/matmul.py

# A block makes 128 x 256 of the result. The more a block makes, the fewer bytes each product costs; 64 x 256 sums are
# half of a thread's registers. 64 columns of K are 128 bytes, the widest swizzle.
tile_m, tile_n, tile_k = 128, 256, 64
stages = 4          # steps of K in flight: as many as fit beside the tiles of the result
group = 8           # rows of tiles that are made together, so that their share of b stays in the L2 cache
processors = 132    # of an H200: one block each

# `pair` blocks of a cluster work on tiles one below the other: they need the same part of b, so each loads a share of it
# and sends it to all (multicast). Worth it where the L2 cache is the limit; the blocks then go in step.
def make_matmul(dtype, pair=1):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

  @kernel(grid=lambda: (min(processors, M // tile_m * (N // tile_n)) // pair,), grid_names=("cluster",),
          cluster=(pair,), cluster_names=("member",), num_threads=3, thread_name="warpgroup",
          scratch=[SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                   SMEM((stages, tile_k, tile_n), dtype, transforms=swizzled),
                   SMEM((2, 64, tile_n // 2), dtype, transforms=swizzled),
                   Barrier(num_arrivals=2, num_barriers=stages),  # a and b have come
                   # All warpgroups of the cluster that multiply have read them.
                   ClusterBarrier(collective_axes=("member",), num_arrivals=2, num_barriers=stages),
                   ACC((64, tile_n), f32)])
  def matmul(a: GMEM((M, K), dtype), b: GMEM((K, N), dtype), out: Out((M, N), dtype),
             a_tiles, b_tiles, out_tiles, loaded, read, total):
    block, warpgroup = axis_index("cluster") * pair + axis_index("member"), axis_index("warpgroup")
    columns, tiles, steps = N // tile_n, M // tile_m * (N // tile_n), K // tile_k
    blocks = min(processors, tiles) // pair * pair
    assert M % (tile_m * pair) == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"

    # Where tile number `tile` lies: down `group` rows of tiles, then to the next column.
    def corner(tile):
      inside, first = tile % (group * columns), tile // (group * columns) * group
      rows = minimum(group, M // tile_m - first)  # the last group may have fewer
      return (first + inside % rows) * tile_m, inside // rows * tile_n

    done = 0  # steps so far, over all tiles: the stages go round without a break between tiles
    if warpgroup == 2:
      # Copying needs few registers; what it gives back lets the others keep their sums.
      set_max_registers(40, action="decrease")
      for tile in range(block, tiles, blocks):
        row, column = corner(tile)
        for step in range(steps):
          stage = done % stages
          if done >= stages:
            barrier_wait(read.at[stage])
          copy_gmem_to_smem(a.at[ds(row, tile_m), ds(step * tile_k, tile_k)], a_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b.at[ds(step * tile_k, tile_k), ds(column, tile_n)], b_tiles.at[stage], loaded.at[stage],
                            collective_axes="member")
          done = done + 1
    else:
      set_max_registers(232, action="increase")
      my_rows = ds(warpgroup * 64, 64)
      for tile in range(block, tiles, blocks):
        row, column = corner(tile)
        total[...] = 0
        for step in range(steps):
          stage = done % stages
          barrier_wait(loaded.at[stage])
          wgmma(total, a_tiles.at[stage, my_rows], b_tiles.at[stage])
          # One step stays in flight, so that the tensor cores never wait for us; the one before it has read its stage.
          wgmma_wait(1)
          if step > 0:
            barrier_arrive(read.at[(done + stages - 1) % stages])
          done = done + 1
        result = total[...].astype(dtype)
        barrier_arrive(read.at[(done + stages - 1) % stages])
        # Through shared memory, so that whole lines go out; the next tile is already on its way in. In two halves, which
        # leaves room for one more stage.
        for half in static_range(2):
          wait_smem_to_gmem(0, wait_read_only=True)
          out_tiles[warpgroup] = result[:, half * 128:half * 128 + 128]
          commit_smem()
          copy_smem_to_gmem(out_tiles.at[warpgroup],
                            out.at[ds(row + warpgroup * 64, 64), ds(column + half * 128, 128)])
      wait_smem_to_gmem(0)

  return matmul

# The check, small enough for the emulator.
for dtype, pair in ((f16, 1), (bf16, 1), (f16, 2)):
  a, b = random((1280, 192), dtype, seed=0), random((192, 512), dtype, seed=1)
  result = make_matmul(dtype, pair)(a, b)
  assert allclose(result.astype(f32), a.astype(f32) @ b.astype(f32), rtol=1e-2, atol=1e-2)
print("matmul: the result is right")
