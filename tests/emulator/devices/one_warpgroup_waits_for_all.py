# Two warpgroups read the received data; only one of them has waited.
devices = 2
@kernel(mesh={"x": devices}, num_threads=2, thread_name="wg", scratch=[Semaphore(), Barrier(num_arrivals=2)])
def k(x: GMEM((2, 128), f32, sharding=(None, "x")), inbox: Out((2, 128), f32, sharding=(None, "x")), out: Out((2, 128), f32, sharding=(None, "x")), come, seen):
  device, wg = axis_index("x"), axis_index("wg")
  remote_ref(inbox, (device + 1) % devices)[wg] = x[wg]  # either: without an order between them
  semaphore_signal(come, device_id=(device + 1) % devices)
  if wg == 0:
    semaphore_wait(come, 2)
  #+ barrier_arrive(seen)
  #+ barrier_wait(seen)
  out[wg] = inbox[wg]  # either: without an order between them

k(random((2, devices * 128), f32, seed=0))
