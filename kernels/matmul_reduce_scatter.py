# out = reduce_scatter(a @ b) on a ring of devices: a is split by columns, b by rows, so that each device has a summand of all of
# a @ b; out is split by rows. Sums travel round the ring while the next summand is made.
# lanescope run kernels/matmul_reduce_scatter.py

tile_m, tile_n, tile_k = 64, 128, 64
stages = 4  # steps of K in flight

def make_matmul_reduce_scatter(devices, dtype=f16):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  lines = (TilingTransform((8, 32)), SwizzleTransform(128))

  # A block makes one tile of each device's part of out. It gets the sums from the block of the same number on the device before.
  @kernel(mesh={"ring": devices}, grid=lambda: (M // devices // tile_m, N // tile_n), grid_names=("row", "column"),
          scratch=lambda: [SMEM((tile_m, tile_n), f32, transforms=lines), ACC((tile_m, tile_n)),
                           Semaphore(count=M // devices // tile_m * (N // tile_n))])
  def matmul_reduce_scatter(a: GMEM((M, K), dtype, sharding=(None, "ring")), b: GMEM((K, N), dtype, sharding=("ring", None)),
                            inbox: Out((devices, M // devices, N), f32, sharding=("ring",)),
                            out: Out((M // devices, N), f32, sharding=("ring", None)), tile, total, come):
    rows = M // devices  # of a device's part
    assert rows % tile_m == 0 and N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    device, row, column = axis_index("ring"), axis_index("row"), axis_index("column")
    following, block = (device + 1) % devices, row * (N // tile_n) + column
    place = (ds(row * tile_m, tile_m), ds(column * tile_n, tile_n))

    # The device's summand of the part of out that is `step` + 1 devices back; the last is its own.
    for step in static_range(devices):
      part = (device + devices - 1 - step) % devices * (rows // tile_m)
      total[...] = 0
      emit_pipeline(lambda index, a_tile, b_tile: wgmma(total, a_tile, b_tile), grid=(K // tile_k,), max_concurrent_steps=stages,
                    in_specs=[BlockSpec((tile_m, tile_k), lambda k: (part + row, k), transforms=swizzled, delay_release=1),
                              BlockSpec((tile_k, tile_n), lambda k: (k, column), transforms=swizzled, delay_release=1)])(a, b)
      summed = total[...]
      if step > 0:
        semaphore_wait(come.at[block])
        summed = summed + load(inbox.at[step - 1, place[0], place[1]], layout=WGMMA, optimized=False)
      tile[...] = summed
      commit_smem()
      if step == devices - 1:
        copy_smem_to_gmem(tile, out.at[place[0], place[1]])
        wait_smem_to_gmem(0)
      else:
        copy_smem_to_gmem(tile, remote_ref(inbox, following).at[step, place[0], place[1]])
        wait_smem_to_gmem(0)
        semaphore_signal(come.at[block], device_id=following)

  return matmul_reduce_scatter

# The check, small enough for the emulator.
for devices in (1, 2, 4):
  a, b = random((devices * 128, devices * 128), f32, seed=0), random((devices * 128, 256), f32, seed=1)
  _, out = make_matmul_reduce_scatter(devices)(a.astype(f16), b.astype(f16))
  assert allclose(out, a @ b, rtol=2e-2, atol=6e-2)
print("matmul_reduce_scatter: the result is right")
