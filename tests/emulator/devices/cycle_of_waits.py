# A token goes round the ring, but no device starts it: each device waits for the previous one.
devices = 3
@kernel(mesh={"x": devices}, scratch=[Semaphore()])
def k(out: Out((128,), i32, sharding="x"), token):
  device = axis_index("x")
  #+ if device == 0:
  #+   semaphore_signal(token, device_id=1 % devices)
  semaphore_wait(token)  # fault: deadlock
  out[...] = device
  semaphore_signal(token, device_id=(device + 1) % devices)
  #= if device > 0:
  #+   semaphore_signal(token, device_id=(device + 1) % devices)

k()
