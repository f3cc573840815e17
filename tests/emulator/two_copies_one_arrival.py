# Two copies arrive at a barrier whose phase is complete after one arrival.
@kernel(scratch=[SMEM((64, 64), f16), SMEM((64, 64), f16), Barrier()])
#= @kernel(scratch=[SMEM((64, 64), f16), SMEM((64, 64), f16), Barrier(num_arrivals=2)])
def twice(x: GMEM((64, 64), f16), out: Out((64, 64), f16), a, b, ready):
  copy_gmem_to_smem(x, a, ready)
  copy_gmem_to_smem(x, b, ready)  # fault: more arrivals than the mbarrier `ready` (slot 0)
  barrier_wait(ready)
  out[...] = a[...] + b[...]

twice(zeros((64, 64), f16))
