# All devices meet twice at a semaphore that is not decremented, but the second wait uses the count of the first.
devices = 2
@kernel(mesh={"x": devices}, scratch=[Semaphore()])
def k(x: GMEM((128,), f32, sharding="x"), parts: Out((128,), f32, sharding="x"), out: Out((128,), f32, sharding="x"), met):
  other = (axis_index("x") + 1) % devices
  parts[...] = x[...]
  semaphore_signal_multicast(met, collective_axes="x")
  semaphore_wait(met, devices, decrement=False)
  out[...] = remote_ref(parts, other)[...]  # either: without an order between them
  semaphore_signal_multicast(met, collective_axes="x")
  semaphore_wait(met, devices, decrement=False)
  #= semaphore_wait(met, 2 * devices, decrement=False)
  parts[...] = out[...] * 2  # either: without an order between them

k(random((devices * 128,), f32, seed=0))
