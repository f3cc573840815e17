# The sender signals all devices while its copy to all devices is still in flight.
devices = 2
@kernel(mesh={"x": devices}, scratch=[SMEM((64, 64), f32), Semaphore()])
def k(out: Out((64, 64), f32, sharding="x"), seen: Out((64, 64), f32, sharding="x"), tile, s):
  if axis_index("x") == 0:
    tile[...] = 3
    commit_smem()
    copy_smem_to_gmem(tile, multicast_ref(out, "x"))  # either: without an order between them
    wait_smem_to_gmem(0, wait_read_only=True)
    #= wait_smem_to_gmem(0)
  semaphore_signal_multicast(s, collective_axes="x")
  semaphore_wait(s, devices)
  seen[...] = out[...]  # either: reads `out[
  wait_smem_to_gmem(0)

k()
