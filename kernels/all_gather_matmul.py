# out = all_gather(a) @ b on a ring of devices: a is split by rows, b and out by columns. While a device multiplies the part of a
# that it has, it passes that part on to the device before it.
# lanescope run kernels/all_gather_matmul.py

tile_m, tile_n, tile_k = 64, 128, 64
stages = 4  # steps of K in flight

def make_all_gather_matmul(devices, dtype=f16, groups=1):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

  # A block makes `tile_m` rows of each device's part, in one of `groups` groups of columns: enough blocks to fill the GPU. It
  # gets these rows from the first group's block of the same number on the next device and waits for no other block.
  @kernel(mesh={"ring": devices}, grid=lambda: (M // tile_m, groups), grid_names=("rows", "group"),
          scratch=lambda: [SMEM((tile_m, tile_n), dtype, transforms=swizzled), ACC((tile_m, tile_n)),
                           Semaphore(count=M // tile_m * groups)])
  def all_gather_matmul(a: GMEM((M, K), dtype, sharding=("ring", None)), b: GMEM((K, N), dtype, sharding=(None, "ring")),
                        passed: Out((devices, M, K), dtype, sharding=("ring",)),
                        out: Out((devices * M, N), dtype, sharding=(None, "ring")), tile, total, come):
    assert M % tile_m == 0 and N % (tile_n * groups) == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    device, block, group = axis_index("ring"), axis_index("rows"), axis_index("group")
    columns = N // tile_n // groups  # tiles of a group
    before = (device + devices - 1) % devices

    # The part of a that is `step` devices further. Every step has a place of its own in `passed`, so nobody has to say that
    # one is free again.
    def multiply(source, step):
      passes_on = step < devices - 1
      target = remote_ref(passed, before)
      for own_column in range(columns):
        column = group * columns + own_column
        def body(index, a_tile, b_tile):
          wgmma(total, a_tile, b_tile)
          if passes_on & (own_column == 0) & (group == 0):  # once is enough
            copy_smem_to_gmem(a_tile, target.at[step, ds(block * tile_m, tile_m), ds(index[0] * tile_k, tile_k)])
            # The tile of the step before has been read: the pipeline may fill its buffer again (`delay_release`).
            wait_smem_to_gmem(1, wait_read_only=True)
        total[...] = 0
        emit_pipeline(body, grid=(K // tile_k,), max_concurrent_steps=stages,
                      in_specs=[BlockSpec((tile_m, tile_k), lambda k: (block, k), transforms=swizzled, delay_release=1),
                                BlockSpec((tile_k, tile_n), lambda k: (k, column), transforms=swizzled, delay_release=1)])(source, b)
        wait_smem_to_gmem(0, wait_read_only=True)
        tile[...] = total[...].astype(dtype)
        commit_smem()
        row = (device + step) % devices * M + block * tile_m
        copy_smem_to_gmem(tile, out.at[ds(row, tile_m), ds(column * tile_n, tile_n)])
      wait_smem_to_gmem(0)
      if passes_on:
        if group == 0:
          for other in static_range(groups):
            semaphore_signal(come.at[block * groups + other], device_id=before)
        semaphore_wait(come.at[block * groups + group])

    multiply(a, 0)
    for step in range(1, devices):
      multiply(passed.at[step - 1], step)

  return all_gather_matmul

# The check, small enough for the emulator.
for devices, groups in ((1, 1), (2, 1), (2, 2), (4, 2)):
  a, b = random((devices * 128, 448), f32, seed=0), random((448, devices * 256), f32, seed=1)
  _, out = make_all_gather_matmul(devices, groups=groups)(a.astype(f16), b.astype(f16))
  assert allclose(out.astype(f32), a @ b, rtol=2e-2, atol=6e-2)
print("all_gather_matmul: the result is right")
