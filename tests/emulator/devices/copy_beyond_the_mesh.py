# The last device sends to a device that does not exist.
devices = 2
@kernel(mesh={"x": devices}, scratch=[SMEM((64, 64), f16)])
def k(out: Out((64, 64), f16, sharding="x"), tile):
  tile[...] = 1
  commit_smem()
  copy_smem_to_gmem(tile, remote_ref(out, axis_index("x") + 1))  # fault: the number of the device is not below
  #= copy_smem_to_gmem(tile, remote_ref(out, (axis_index("x") + 1) % devices))
  wait_smem_to_gmem(0)

k()
