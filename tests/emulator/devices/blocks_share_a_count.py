# Two blocks send one half each and increment the same semaphore; the receiver waits for only one signal.
devices = 2  # on: 0  # on: 5
@kernel(mesh={"x": devices}, grid=(2,), grid_names=("b",), scratch=[Semaphore()])
def k(x: GMEM((2, 128), f32, sharding=(None, "x")), inbox: Out((2, 128), f32, sharding=(None, "x")), out: Out((3, 128), f32, sharding=(None, "x")), come):
  device, b = axis_index("x"), axis_index("b")
  if b == 1:
    for again in range(50):
      out[0] = x[0] * again
  remote_ref(inbox, (device + 1) % devices)[b] = x[b]  # either: without an order between them
  semaphore_signal(come, device_id=(device + 1) % devices)
  semaphore_wait(come, 1, decrement=False)
  #= semaphore_wait(come, 2, decrement=False)
  out[1 + b] = inbox[1 - b]  # either: without an order between them

k(random((2, devices * 128), f32, seed=0))
