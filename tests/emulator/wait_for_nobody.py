# A wait on a barrier at which no thread arrives.
@kernel(grid=(1,), num_threads=1, scratch=[Barrier()])
def waits(out: Out((128,), f32), ready):
  barrier_wait(ready)  # fault: deadlock
  out[...] = full((128,), 1, f32)

waits()
