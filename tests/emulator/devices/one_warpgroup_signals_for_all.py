# Two warpgroups send; one of them signals without waiting for the other.
devices = 2
@kernel(mesh={"x": devices}, num_threads=2, thread_name="wg", scratch=[Semaphore(), Barrier(num_arrivals=2)])
def k(x: GMEM((2, 128), f32, sharding=(None, "x")), inbox: Out((2, 128), f32, sharding=(None, "x")), out: Out((2, 128), f32, sharding=(None, "x")), come, sent):
  device, wg = axis_index("x"), axis_index("wg")
  remote_ref(inbox, (device + 1) % devices)[wg] = x[wg]  # either: without an order between them
  #+ barrier_arrive(sent)
  #+ barrier_wait(sent)
  if wg == 0:
    semaphore_signal(come, device_id=(device + 1) % devices)
  semaphore_wait(come, 1, decrement=False)
  out[wg] = inbox[wg]  # either: without an order between them

k(random((2, devices * 128), f32, seed=0))
