# The receiver gives the buffer back while its own load from the buffer is still in flight.
devices = 2
@kernel(mesh={"x": devices}, scratch=[SMEM((64, 64), f32), Semaphore(count=2), Barrier()])
def k(x: GMEM((64, 64), f32, sharding="x"), inbox: Out((64, 64), f32, sharding="x"), out: Out((64, 64), f32, sharding="x"), tile, s, loaded):
  device = axis_index("x")
  after, before = (device + 1) % devices, (device + devices - 1) % devices
  for step in range(2):
    if step > 0:
      semaphore_wait(s.at[1])
    remote_ref(inbox, after)[...] = x[...] + step  # either: without an order between them
    semaphore_signal(s.at[0], device_id=after)
    semaphore_wait(s.at[0])
    copy_gmem_to_smem(inbox, tile, loaded)  # either: without an order between them
    #+ barrier_wait(loaded)
    semaphore_signal(s.at[1], device_id=before)
    barrier_wait(loaded)
    #= pass
    out[...] = tile[...]

k(random((devices * 64, 64), f32, seed=0))
