# Only one of two warpgroups arrives at the named barrier.
@kernel(num_threads=2, thread_name="wg")
def meet(out: Out((2, 128), f32)):
  wg = axis_index("wg")
  if wg == 0:
  #= if wg < 2:
    named_barrier_sync(5, num_warpgroups=2)  # note: barrier 8 (`named_barrier_sync(5)`): 128 of 256 threads
  out[wg] = full((128,), 1, f32)

meet()
