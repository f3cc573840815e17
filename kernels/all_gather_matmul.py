# out = all_gather(a) @ b on a ring of devices: a is split by rows, b and out by columns. While a device multiplies its
# part of a, it passes that part on to the device before it.
# lanescope run kernels/all_gather_matmul.py

# As in matmul.py, a block computes 128 x 256 of the result at a time. One warpgroup copies, and two multiply.
tile_m, tile_n, tile_k = 128, 256, 64
stages = 4          # steps of K in flight: as many as fit beside the tiles of the result
lag = 2             # each step is passed on this many steps later
chunk = 64          # columns of the result in one copy: 128 bytes
processors = 132    # an H200's multiprocessors, with one block each

def make_all_gather_matmul(devices, dtype=f16, group=8):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

  # The tiles of a part, in groups of `group` rows, are distributed over all blocks. The device's own part comes first,
  # then the received parts in the order of their arrival. Tiles in the same row need the same rows of a, and have them
  # in shared memory. Each tile passes its share of these rows on, so all blocks send all the time.
  @kernel(mesh={"ring": devices}, grid=lambda: (min(processors, devices * (M // tile_m) * (N // tile_n)),), grid_names=("block",),
          num_threads=3, thread_name="warpgroup",
          scratch=lambda: [SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                           SMEM((stages, tile_k, tile_n), dtype, transforms=swizzled),
                           SMEM((2, 2, 64, chunk), dtype, transforms=swizzled),
                           Barrier(num_arrivals=2, num_barriers=stages),  # a and b have arrived
                           Barrier(num_arrivals=2, num_barriers=stages),  # both multiplying warpgroups have read them
                           ACC((64, tile_n)), Semaphore(count=devices * (M // tile_m))])
  def all_gather_matmul(a: GMEM((M, K), dtype, sharding=("ring", None)), b: GMEM((K, N), dtype, sharding=(None, "ring")),
                        passed: Out((devices, M, K), dtype, sharding=("ring",)),
                        out: Out((devices * M, N), dtype, sharding=(None, "ring")), a_tiles, b_tiles, out_tiles, loaded, read,
                        total, come):
    assert M % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    device, block, warpgroup = axis_index("ring"), axis_index("block"), axis_index("warpgroup")
    rows, columns, steps = M // tile_m, N // tile_n, K // tile_k
    tiles = devices * rows * columns
    blocks = min(processors, tiles)
    before = (device + devices - 1) % devices

    # The place of tile number `tile`. Part 0 is the device's own, part 1 the next device's, and so on.
    def place(tile):
      part, own = tile // (rows * columns), tile % (rows * columns)
      inside, first = own % (group * columns), own // (group * columns) * group
      high = minimum(group, rows - first)  # the last group may have fewer rows
      return part, first + inside % high, inside // high

    done = 0  # steps so far, over all tiles: the ring of stages continues from tile to tile
    if warpgroup == 2:
      set_max_registers(40, action="decrease")
      target = remote_ref(passed, before)
      for tile in range(block, tiles, blocks):
        part, row, column = place(tile)
        first, last = column * steps // columns, (column + 1) * steps // columns  # the share that this tile passes on
        # Every part has its own place in `passed`, so no device has to signal that a place is free again.
        if part > 0:
          semaphore_wait(come.at[(part - 1) * rows + row], columns, decrement=False)

        # The block passes a step on `lag` steps later, after it has arrived. Meanwhile the next steps are in flight.
        def pass_on(step, number):
          barrier_wait(loaded.at[number % stages])
          if (part < devices - 1) & (step >= first) & (step < last):
            copy_smem_to_gmem(a_tiles.at[number % stages], target.at[part, ds(row * tile_m, tile_m), ds(step * tile_k, tile_k)])

        for step in range(steps):
          stage, down, depth = done % stages, ds(row * tile_m, tile_m), ds(step * tile_k, tile_k)
          if done >= stages:
            barrier_wait(read.at[stage])
          wait_smem_to_gmem(0, wait_read_only=True)  # the stage's former content has been sent
          if part == 0:
            copy_gmem_to_smem(a.at[down, depth], a_tiles.at[stage], loaded.at[stage])
          else:
            copy_gmem_to_smem(passed.at[part - 1, down, depth], a_tiles.at[stage], loaded.at[stage])
          copy_gmem_to_smem(b.at[depth, ds(column * tile_n, tile_n)], b_tiles.at[stage], loaded.at[stage])
          if step >= lag:
            pass_on(step - lag, done - lag)
          done = done + 1
        for left in static_range(lag):
          pass_on(steps - lag + left, done - lag + left)
        if part < devices - 1:
          wait_smem_to_gmem(0)
          semaphore_signal(come.at[part * rows + row], device_id=before)
    else:
      set_max_registers(232, action="increase")
      mine = ds(warpgroup * 64, 64)

      def multiply(stage):
        barrier_wait(loaded.at[stage])
        wgmma(total, a_tiles.at[stage, mine], b_tiles.at[stage])

      # Stores whole lines, through shared memory. It writes one part while the previous part is in flight.
      def put(result, tile):
        part, row, column = place(tile)
        down = (device + part) % devices * M + row * tile_m + warpgroup * 64
        for piece in static_range(tile_n // chunk):
          wait_smem_to_gmem(1, wait_read_only=True)
          out_tiles[warpgroup, piece % 2] = result[:, piece * chunk:(piece + 1) * chunk]
          commit_smem()
          copy_smem_to_gmem(out_tiles.at[warpgroup, piece % 2], out.at[ds(down, 64), ds(column * tile_n + piece * chunk, chunk)])

      # Stores a tile's result while the tensor cores multiply the next tile.
      result = layout_cast(full((64, tile_n), 0, dtype), WGMMA)
      for tile in range(block, tiles, blocks):
        total[...] = 0
        multiply(done % stages)
        done = done + 1
        if tile != block:
          put(result, tile - blocks)
        for step in range(1, steps):
          multiply(done % stages)
          # One step stays in flight, so that the tensor cores never wait. The step before it has read its stage.
          wgmma_wait(1)
          barrier_arrive(read.at[(done + stages - 1) % stages])
          done = done + 1
        result = total[...].astype(dtype)
        barrier_arrive(read.at[(done + stages - 1) % stages])
      put(result, (tiles - 1 - block) // blocks * blocks + block)
      wait_smem_to_gmem(0)

  return all_gather_matmul

# The check, small enough for the emulator.
processors = 3
for devices in (1, 2, 4):
  a, b = random((devices * 384, 448), f32, seed=0), random((448, devices * 512), f32, seed=1)
  _, out = make_all_gather_matmul(devices, group=2)(a.astype(f16), b.astype(f16))
  assert allclose(out.astype(f32), a @ b, rtol=2e-2, atol=6e-2)
print("all_gather_matmul: the result is right")
