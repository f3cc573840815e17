# out = reduce_scatter(a @ b) on a ring of devices. a is split by columns and b by rows, so each device has a summand of
# a @ b; out is split by rows. Sums travel round the ring tile by tile while the devices multiply the next tiles.
# lanescope run kernels/matmul_reduce_scatter.py

# As in matmul.py, a block computes 128 x 256 of the result at a time. One warpgroup copies, and two multiply.
tile_m, tile_n, tile_k = 128, 256, 64
stages = 4          # steps of K in flight: as many as fit beside the tiles of the result
chunk = 64          # columns of the result in one copy: 128 bytes
processors = 132    # an H200's multiprocessors, with one block each

# Sums travel as `dtype`. Each device rounds them.
def make_matmul_reduce_scatter(devices, dtype=f16, group=8):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

  # A device computes the tiles of one device's rows after the other, in groups of `group` rows, and its own rows last.
  # So the device before it has computed the same tile a whole part earlier, and its sum has arrived. Every part has its
  # own place in `inbox`, so no device has to signal that a place is free again.
  @kernel(mesh={"ring": devices}, grid=lambda: (min(processors, M // tile_m * (N // tile_n)),), grid_names=("block",),
          num_threads=3, thread_name="warpgroup",
          scratch=lambda: [SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                           SMEM((stages, tile_k, tile_n), dtype, transforms=swizzled),
                           SMEM((2, 2, 64, chunk), dtype, transforms=swizzled),
                           Barrier(num_arrivals=2, num_barriers=stages),  # a and b have arrived
                           Barrier(num_arrivals=2, num_barriers=stages),  # both multiplying warpgroups have read them
                           ACC((64, tile_n)), Semaphore(count=2 * (M // devices // tile_m) * (N // tile_n))])
  def matmul_reduce_scatter(a: GMEM((M, K), dtype, sharding=(None, "ring")), b: GMEM((K, N), dtype, sharding=("ring", None)),
                            inbox: Out((devices, M // devices, N), dtype, sharding=("ring",)),
                            out: Out((M // devices, N), dtype, sharding=("ring", None)), a_tiles, b_tiles, out_tiles, loaded,
                            read, total, come):
    assert M % (devices * tile_m) == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    assert K // tile_k >= tile_n // chunk, "each piece of a result takes a step of the next tile"
    device, block, warpgroup = axis_index("ring"), axis_index("block"), axis_index("warpgroup")
    rows, columns, steps = M // devices // tile_m, N // tile_n, K // tile_k
    tiles, pieces = devices * rows * columns, tile_n // chunk
    blocks = min(processors, tiles)
    following = (device + 1) % devices

    # The place of tile number `tile`. Part 0 has the rows of the previous device, part 1 of the one before that, …
    def place(tile):
      part, own = tile // (rows * columns), tile % (rows * columns)
      inside, first = own % (group * columns), own // (group * columns) * group
      high = minimum(group, rows - first)  # the last group may have fewer rows
      return part, first + inside % high, inside // high

    done = 0  # steps so far, over all tiles: the ring of stages continues from tile to tile
    if warpgroup == 2:
      set_max_registers(40, action="decrease")
      for tile in range(block, tiles, blocks):
        part, row, column = place(tile)
        top = (device + devices - 1 - part) % devices * rows + row
        for step in range(steps):
          stage, depth = done % stages, ds(step * tile_k, tile_k)
          if done >= stages:
            barrier_wait(read.at[stage])
          copy_gmem_to_smem(a.at[ds(top * tile_m, tile_m), depth], a_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b.at[depth, ds(column * tile_n, tile_n)], b_tiles.at[stage], loaded.at[stage])
          done = done + 1
    else:
      set_max_registers(232, action="increase")
      mine, target = ds(warpgroup * 64, 64), remote_ref(inbox, following)

      def begin():
        barrier_wait(loaded.at[done % stages])
        wgmma(total, a_tiles.at[done % stages, mine], b_tiles.at[done % stages])

      # One step stays in flight, so that the tensor cores never wait. The step before it, if the tile has one, has read
      # its stage.
      def release(is_first=False):
        nonlocal done
        if not is_first:
          wgmma_wait(1)
          barrier_arrive(read.at[(done + stages - 1) % stages])
        done = done + 1

      # Each warpgroup has a semaphore for its half of a tile's place. It counts the parts that have arrived there.
      def half(row, column):
        return come.at[(row * columns + column) * 2 + warpgroup]

      def cells(row, column, piece):
        return ds(row * tile_m + warpgroup * 64, 64), ds(column * tile_n + piece * chunk, chunk)

      # The sum so far of one piece of a tile, from the previous device; zeros for part 0, which begins the sum.
      def arrived(part, row, column, piece):
        sum_so_far = layout_cast(full((64, chunk), 0, dtype), WGMMA)
        if part > 0:
          if piece == 0:
            semaphore_wait(half(row, column), part, decrement=False)
          high, wide = cells(row, column, piece)
          sum_so_far = load(inbox.at[part - 1, high, wide], layout=WGMMA, optimized=False)
        return sum_so_far

      # Stores one piece of a tile's result in whole lines, through shared memory.
      def put(part, row, column, piece, sum_so_far):
        if part >= 0:
          summand = result[:, piece * chunk:(piece + 1) * chunk]
          if part > 0:
            summand = (summand.astype(f32) + sum_so_far.astype(f32)).astype(dtype)
          wait_smem_to_gmem(1, wait_read_only=True)
          out_tiles[warpgroup, piece % 2] = summand
          commit_smem()
          high, wide = cells(row, column, piece)
          if part == devices - 1:
            copy_smem_to_gmem(out_tiles.at[warpgroup, piece % 2], out.at[high, wide])
          else:
            copy_smem_to_gmem(out_tiles.at[warpgroup, piece % 2], target.at[part, high, wide])

      # Signals a tile when its copies have arrived.
      def tell(part, row, column):
        wait_smem_to_gmem(0)
        if part >= 0 and part < devices - 1:
          semaphore_signal(half(row, column), device_id=following)

      # Stores a tile's result while the tensor cores multiply the next tile, one piece in each quarter of its steps. A
      # link takes most of a tile's time for the tiles of all blocks. Pieces that follow each other at once would wait
      # for it, and the tensor cores with them. For the same reason a piece's sum so far is loaded two steps before it is
      # added, and a tile is signalled at the end of the next one.
      result = layout_cast(full((64, tile_n), 0, dtype), WGMMA)
      for tile in range(block, tiles, blocks):
        part, row, column = place(tile - blocks)  # part < 0: there is no tile before the first
        total[...] = 0
        for piece in static_range(pieces):
          first, last = steps * piece // pieces, steps * (piece + 1) // pieces
          middle = minimum(first + 2, last - 1)
          begin()
          sum_so_far = arrived(part, row, column, piece)
          for step in static_range(first, middle):
            release(is_first=step == 0)
            begin()
          put(part, row, column, piece, sum_so_far)
          release(is_first=middle == 0)
          for step in range(middle + 1, last):
            begin()
            release()
        tell(part, row, column)
        result = total[...].astype(dtype)
        barrier_arrive(read.at[(done + stages - 1) % stages])
      part, row, column = place((tiles - 1 - block) // blocks * blocks + block)
      for piece in static_range(pieces):
        put(part, row, column, piece, arrived(part, row, column, piece))
      tell(part, row, column)

  return matmul_reduce_scatter

# The check, small enough for the emulator.
processors = 3
for devices in (1, 2, 4, 8):
  a, b = random((devices * 384, devices * 320), f32, seed=0), random((devices * 320, 512), f32, seed=1)
  _, out = make_matmul_reduce_scatter(devices, group=2)(a.astype(f16), b.astype(f16))
  assert allclose(out.astype(f32), a @ b, rtol=2e-2, atol=6e-2)
print("matmul_reduce_scatter: the result is right")
