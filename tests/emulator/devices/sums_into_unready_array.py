# All devices add to the first device's array, but the first device has not signalled that the array is zero.
devices = 2
@kernel(mesh={"x": devices}, scratch=[SMEM((64, 64), f32), Semaphore(count=2), Barrier()])
def k(x: GMEM((64, 64), f32, sharding="x"), out: Out((64, 64), f32, sharding="x"), tile, s, loaded):
  device = axis_index("x")
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  if device == 0:
    out[...] = 0  # either: without an order between them
    #+ for other in static_range(devices):
    #+   semaphore_signal(s.at[0], device_id=other)
  #+ semaphore_wait(s.at[0])
  copy_smem_to_gmem(tile, remote_ref(out, 0), reduction_op="add")  # either: without an order between them
  wait_smem_to_gmem(0)
  semaphore_signal(s.at[1], device_id=0)
  if device == 0:
    semaphore_wait(s.at[1], devices)

k(random((devices * 64, 64), f32, seed=0))
