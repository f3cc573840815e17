# The first device reads from a previous device, which does not exist.
devices = 2
@kernel(mesh={"x": devices}, scratch=[SMEM((128,), i32), Barrier()])
def k(x: GMEM((128,), i32, sharding="x"), out: Out((128,), i32, sharding="x"), tile, loaded):
  device = axis_index("x")
  copy_gmem_to_smem(remote_ref(x, device - 1), tile, loaded)  # fault: the number of the device is not below
  #= copy_gmem_to_smem(remote_ref(x, (device + devices - 1) % devices), tile, loaded)
  barrier_wait(loaded)
  out[...] = tile[...]

k(zeros((devices * 128,), i32))
