# One warpgroup reads what the other writes, without a barrier between them.
@kernel(grid=(1,), num_threads=2, thread_name="wg", scratch=[SMEM((64, 64), f32), Barrier()])
def racy(out: Out((64, 64), f32), tile, written):
  if axis_index("wg") == 0:
    tile[...] = full((64, 64), 1, f32)  # note: wrote it here
    #+ barrier_arrive(written)
  else:
    #+ barrier_wait(written)
    out[...] = tile[...]  # fault: without an order between them

racy()
