# out = reduce_scatter(a @ b) on a ring of devices. a is split by columns and b by rows, so each device has a summand of
# a @ b; out is split by rows. Sums travel round the ring tile by tile while the devices multiply the next tiles.
# lanescope run kernels/matmul_reduce_scatter.py

# As in matmul.py, a block computes 128 x 256 of the result at a time. In one warpgroup, a warp loads and a warp stores;
# two warpgroups multiply.
tile_m, tile_n, tile_k = 128, 256, 64
stages = 4          # steps of K in flight: as many as fit beside the tiles of the result
chunk = 64          # columns of the result in one copy: 128 bytes
processors = 132    # an H200's multiprocessors, with one block each

# Sums travel as `dtype`. Each device rounds them. The last one to add a summand lets memory add it, so it loads nothing.
def make_matmul_reduce_scatter(devices, dtype=f16, group=8):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

  # A device computes the tiles of one device's rows after the other, in groups of `group` rows, and its own rows last.
  # So the device before it has computed the same tile earlier, and its sum has arrived: in `out` for the device's own
  # rows, in `inbox` for others. Every part has its own place there, so no device has to signal that a place is free
  # again.
  @kernel(mesh={"ring": devices}, grid=lambda: (min(processors, M // tile_m * (N // tile_n)),), grid_names=("block",),
          num_threads=3, thread_name="warpgroup",
          scratch=lambda: [SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                           SMEM((stages, tile_k, tile_n), dtype, transforms=swizzled),
                           SMEM((2, 2, 64, chunk), dtype, transforms=swizzled),
                           Barrier(num_arrivals=2, num_barriers=stages),  # a and b have arrived
                           Barrier(num_arrivals=2, num_barriers=stages),  # both multiplying warpgroups have read them
                           Barrier(num_barriers=4),  # a piece of the result is in shared memory
                           Barrier(num_barriers=4),  # its copy has read it
                           ACC((64, tile_n)), Semaphore(count=M // devices // tile_m * (N // tile_n))])
  def matmul_reduce_scatter(a: GMEM((M, K), dtype, sharding=(None, "ring")), b: GMEM((K, N), dtype, sharding=("ring", None)),
                            inbox: Out((max(devices - 2, 1), M // devices, N), dtype, sharding=("ring",)),
                            out: Out((M // devices, N), dtype, sharding=("ring", None)), a_tiles, b_tiles, out_tiles, loaded,
                            read, written, sent, total, come):
    assert M % (devices * tile_m) == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    assert K // tile_k >= tile_n // chunk, "each piece of a result takes a step of the next tile"
    device, block, warpgroup = axis_index("ring"), axis_index("block"), axis_index("warpgroup")
    rows, columns, steps = M // devices // tile_m, N // tile_n, K // tile_k
    tiles, pieces = devices * rows * columns, tile_n // chunk
    blocks = min(processors, tiles)
    following = (device + 1) % devices

    # The place of tile number `tile`. Part 0 has the rows of the previous device, part 1 of the one before that, … Tiles of
    # the last two parts alternate: the last part sends nothing, so the link has twice the time. The last part follows
    # `lag` tiles later, when its sums have arrived. A lag of whole groups keeps both parts at the same columns of b.
    part_tiles, group_tiles = rows * columns, group * columns
    lag = (3 * blocks // 2 + group_tiles - 1) // group_tiles * group_tiles
    lag = min(lag, part_tiles) if devices > 1 else part_tiles
    def place(tile):
      part, own = tile // part_tiles, tile % part_tiles
      turn = tile - (devices - 2) * part_tiles - lag
      if turn >= 0 and turn < 2 * (part_tiles - lag):
        part, own = devices - 2 + turn % 2, turn // 2 + (1 - turn % 2) * lag
      inside, first = own % group_tiles, own // group_tiles * group
      high = minimum(group, rows - first)  # the last group may have fewer rows
      return part, first + inside % high, inside // high

    # The cells of one piece of a tile that multiplying warpgroup `half` computes.
    def cells(row, column, half, piece):
      return ds(row * tile_m + half * 64, 64), ds(column * tile_n + piece * chunk, chunk)

    # Loads a and b. The ring of stages continues from tile to tile.
    def load_tiles():
      done = 0
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

    # Stores the pieces of each tile, then signals the tile to the next device. This warp waits for the link and for the
    # previous device, so that no warp that multiplies has to.
    def store_tiles():
      for each in static_range(4):
        barrier_arrive(sent.at[each])
      for tile in range(block, tiles, blocks):
        part, row, column = place(tile)
        if devices > 1:
          if part == devices - 1:
            semaphore_wait(come.at[row * columns + column], part, decrement=False)
        for piece in static_range(pieces):
          for half in static_range(2):
            high, wide = cells(row, column, half, piece)
            barrier_wait(written.at[half * 2 + piece % 2])
            if part == devices - 1:
              copy_smem_to_gmem(out_tiles.at[half, piece % 2], out.at[high, wide], reduction_op="add" if devices > 1 else None)
            elif part == devices - 2:
              copy_smem_to_gmem(out_tiles.at[half, piece % 2], remote_ref(out, following).at[high, wide])
            else:
              copy_smem_to_gmem(out_tiles.at[half, piece % 2], remote_ref(inbox, following).at[part, high, wide])
            wait_smem_to_gmem(0, wait_read_only=True)
            barrier_arrive(sent.at[half * 2 + piece % 2])
        if part < devices - 1:
          wait_smem_to_gmem(0)
          semaphore_signal(come.at[row * columns + column], device_id=following)
      wait_smem_to_gmem(0)

    if warpgroup == 2:
      set_max_registers(40, action="decrease")
      def each_warp():
        warp = axis_index("warp")
        if warp == 0:
          load_tiles()
        if warp == 1:
          store_tiles()
      core_map(WarpMesh(axis_name="warp"))(each_warp)
    else:
      set_max_registers(232, action="increase")
      mine, done = ds(warpgroup * 64, 64), 0

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

      # On a device between the first and the last of a sum: the sum so far of one piece, from the previous device.
      def arrived(part, row, column, piece):
        if devices <= 2:
          return None
        sum_so_far = layout_cast(full((64, chunk), 0, dtype), WGMMA)
        if part > 0 and part < devices - 1:
          if piece == 0:
            semaphore_wait(come.at[row * columns + column], part, decrement=False)
          high, wide = cells(row, column, warpgroup, piece)
          sum_so_far = load(inbox.at[part - 1, high, wide], layout=WGMMA, optimized=False)
        return sum_so_far

      # Writes one piece of a tile's result to shared memory, for a copy in whole lines.
      def put(part, piece, sum_so_far):
        if part >= 0:
          summand = result[:, piece * chunk:(piece + 1) * chunk]
          if devices > 2:
            if part > 0 and part < devices - 1:
              summand = (summand.astype(f32) + sum_so_far.astype(f32)).astype(dtype)
          barrier_wait(sent.at[warpgroup * 2 + piece % 2])
          out_tiles[warpgroup, piece % 2] = summand
          commit_smem()
          barrier_arrive(written.at[warpgroup * 2 + piece % 2])

      # Puts a tile's result while the tensor cores multiply the next tile, one piece in each quarter of its steps. A link
      # takes most of a tile's time for the tiles of all blocks, so pieces that follow each other at once would wait for
      # it. A sum so far is loaded two steps before it is added.
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
          put(part, piece, sum_so_far)
          release(is_first=middle == 0)
          for step in range(middle + 1, last):
            begin()
            release()
        result = total[...].astype(dtype)
        barrier_arrive(read.at[(done + stages - 1) % stages])
      part, row, column = place((tiles - 1 - block) // blocks * blocks + block)
      for piece in static_range(pieces):
        put(part, piece, arrived(part, row, column, piece))

  return matmul_reduce_scatter

# The check, small enough for the emulator.
processors = 2
for devices in (1, 2, 4, 8):
  a, b = random((devices * 384, devices * 320), f32, seed=0), random((devices * 320, 512), f32, seed=1)
  _, out = make_matmul_reduce_scatter(devices, group=2)(a.astype(f16), b.astype(f16))
  assert allclose(out.astype(f32), a @ b, rtol=2e-2, atol=6e-2)
print("matmul_reduce_scatter: the result is right")
