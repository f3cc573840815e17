# The barrier expects the bytes of two copies, but only one copy is started.
@kernel(grid=(1,), num_threads=1,
        scratch=[SMEM((64, 64), f16), SMEM((64, 64), f16), Barrier(num_arrivals=2)])
def half_fed(x: GMEM((64, 64), f16), out: Out((64, 64), f16), a, b, ready):
  copy_gmem_to_smem(x, a, ready)
  barrier_arrive_expect_tx(ready, 64 * 64 * 2)
  barrier_wait(ready)  # fault: deadlock
  out[...] = a[...] + b[...]

half_fed(zeros((64, 64), f16))
