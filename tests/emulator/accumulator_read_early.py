# The kernel reads the accumulator while a wgmma is still in flight: `wait_n=1` leaves one in flight.
tiled = (TilingTransform((8, 64)), SwizzleTransform(128))

@kernel(grid=(1,), num_threads=1,
        scratch=[SMEM((64, 64), f16, transforms=tiled), SMEM((64, 64), f16, transforms=tiled), Barrier(num_arrivals=2),
                 ACC((64, 64), f32)])
def early(a: GMEM((64, 64), f16), b: GMEM((64, 64), f16), out: Out((64, 64), f32), left, right, loaded, acc):
  copy_gmem_to_smem(a, left, loaded)
  copy_gmem_to_smem(b, right, loaded)
  barrier_wait(loaded)
  wgmma(acc, left, right)
  out[...] = wgmma_accumulator_load(acc, wait_n=1)  # fault: which a wgmma in flight accumulates into
  #= out[...] = wgmma_accumulator_load(acc, wait_n=0)

early(zeros((64, 64), f16), zeros((64, 64), f16))
