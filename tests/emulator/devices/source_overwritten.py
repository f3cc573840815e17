# A device reads its neighbour's array while the neighbour changes the array.
devices = 2
@kernel(mesh={"x": devices}, scratch=[SMEM((64, 64), f32), Semaphore(count=2), Barrier()])
def k(state: InOut((64, 64), f32, sharding="x"), out: Out((64, 64), f32, sharding="x"), tile, s, loaded):
  device = axis_index("x")
  copy_gmem_to_smem(remote_ref(state, (device + 1) % devices), tile, loaded)  # either: without an order between them
  barrier_wait(loaded)
  out[...] = tile[...]
  #+ semaphore_signal(s.at[0], device_id=(device + 1) % devices)
  #+ semaphore_wait(s.at[0])
  state[...] = out[...] * 2  # either: without an order between them

k(random((devices * 64, 64), f32, seed=0))
