# out = a @ b on Blackwell, f16 or bf16: persistent blocks in which one warp copies, one multiplies and a warpgroup stores.
# lanescope run kernels/blackwell_matmul.py --arch sm_100a --device emulator

# The tensor core sums in tensor memory, so no thread holds the partial result, and one thread starts each product.
# Tensor memory has two accumulators: while the warpgroup stores one, the tensor core sums the next tile in the other.
tile_m, tile_k = 128, 64  # 64 columns of K are 128 bytes, the widest swizzle
strip = 64                # columns of the result that one copy stores
group = 8                 # rows of tiles that run together, so that their share of b stays in the L2 cache

# With `pair=2`, two blocks of a cluster compute 256 rows together. Each loads half of a and half of b, and the tensor
# cores of both read all of b. `blocks` shares the tiles among that many clusters. Without it there is a cluster for
# each tile, and running clusters take over the tiles of clusters that have not begun (cluster launch control). A tile
# has `tile_n` columns, at most 256; `stages` steps of K are in flight.
def make_matmul(dtype, pair=1, blocks=None, tile_n=256, stages=4):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  assert tile_n % (64 * pair) == 0 and tile_n <= 256, "a block loads 64 columns of b at least"
  together = "member" if pair == 2 else None

  @kernel(grid=lambda: (M // (tile_m * pair) * (N // tile_n) if blocks is None else blocks,), grid_names=("tile",),
          cluster=(pair,), cluster_names=("member",), num_threads=2, thread_name="warpgroup",
          scratch=[SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                   SMEM((stages, tile_k, tile_n // pair), dtype, transforms=swizzled),
                   SMEM((2, tile_m, strip), dtype, transforms=swizzled),
                   TMEM((2, tile_m, tile_n), f32, collective=pair == 2),
                   Barrier(num_arrivals=2, num_barriers=stages),              # a and b have arrived
                   Barrier(num_barriers=stages, orders_tensor_core=True),     # a product has read them
                   Barrier(num_barriers=2, orders_tensor_core=True),          # an accumulator is complete
                   ClusterBarrier(collective_axes=("member",), num_barriers=2, orders_tensor_core=True)])  # it has been read
  def matmul(a: GMEM((M, K), dtype), b: GMEM((K, N), dtype), out: Out((M, N), dtype),
             a_tiles, b_tiles, strips, sums, loaded, read, summed, taken):
    member, warpgroup, steps = axis_index("member"), axis_index("warpgroup"), K // tile_k
    columns, tiles = N // tile_n, M // (tile_m * pair) * (N // tile_n)
    assert M % (tile_m * pair) == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"

    # Tile number `tile` is the block's tile number `turn`.
    def work(tile, turn):
      inside, first = tile % (group * columns), tile // (group * columns) * group
      rows = minimum(group, M // (tile_m * pair) - first)  # the last group may have fewer
      row, column, half = (first + inside % rows) * (tile_m * pair), inside // rows * tile_n, turn % 2

      def warps():
        warp = axis_index("warp")
        if warp == 0:
          for step in range(steps):
            done = turn * steps + step  # over all tiles: the ring of stages continues
            stage, depth = done % stages, ds(step * tile_k, tile_k)
            if done >= stages:
              barrier_wait(read.at[stage])
            if pair == 2:
              # The first block's barrier counts both halves, because its thread starts the products.
              copy_gmem_to_smem(a.at[ds(row, 2 * tile_m), depth], a_tiles.at[stage], loaded.at[stage],
                                collective_axes="member", partitioned_axis=0)
              copy_gmem_to_smem(b.at[depth, ds(column, tile_n)], b_tiles.at[stage], loaded.at[stage],
                                collective_axes="member", partitioned_axis=1)
            else:
              copy_gmem_to_smem(a.at[ds(row, tile_m), depth], a_tiles.at[stage], loaded.at[stage])
              copy_gmem_to_smem(b.at[depth, ds(column, tile_n)], b_tiles.at[stage], loaded.at[stage])
        if warp == 1:
          if member == 0:
            if turn >= 2:
              barrier_wait(taken.at[half])
            for step in range(steps):
              stage = (turn * steps + step) % stages
              barrier_wait(loaded.at[stage])
              tcgen05_mma(sums.at[half], a_tiles.at[stage], b_tiles.at[stage], read.at[stage], accumulate=step > 0,
                          collective_axis=together)
            tcgen05_commit_arrive(summed.at[half], together)

      if warpgroup == 0:
        core_map(WarpMesh(axis_name="warp"))(warps)
      else:
        barrier_wait(summed.at[half])
        for part in static_range(tile_n // strip):
          result = async_load_tmem(sums.at[half, :, part * strip:part * strip + strip]).astype(dtype)
          wait_smem_to_gmem(1, wait_read_only=True)  # the copy before the last one has read its buffer
          buffer = (turn * (tile_n // strip) + part) % 2
          strips[buffer] = result
          commit_smem()
          copy_smem_to_gmem(strips.at[buffer],
                            out.at[ds(row + member * tile_m, tile_m), ds(column + part * strip, strip)])
        wait_load_tmem()
        barrier_arrive(taken.at[half])

    if blocks is None:
      dynamic_scheduling_loop(("tile",), thread_axis="warpgroup")(lambda info: work(info.index[0], info.local_index))
    else:
      for turn in range((tiles - axis_index("tile") + blocks - 1) // blocks):
        work(axis_index("tile") + turn * blocks, turn)
    if warpgroup == 1:
      wait_smem_to_gmem(0)

  return matmul

# The check, small enough for the emulator.
for dtype, pair, blocks in ((f16, 1, None), (bf16, 1, 1), (f16, 2, None), (f16, 2, 1)):
  a, b = random((2560, 192), dtype, seed=0), random((192, 512), dtype, seed=1)
  result = make_matmul(dtype, pair, blocks)(a, b)
  assert allclose(result.astype(f32), a.astype(f32) @ b.astype(f32), rtol=1e-2, atol=1e-2)
print("blackwell_matmul: the result is right")
