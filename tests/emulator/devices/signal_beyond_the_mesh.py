# The last device signals a device that does not exist.
devices = 2
@kernel(mesh={"x": devices}, scratch=[Semaphore()])
def k(out: Out((128,), i32, sharding="x"), come):
  device = axis_index("x")
  semaphore_signal(come, device_id=device + 1)  # fault: the number of the device is not below
  #= semaphore_signal(come, device_id=(device + 1) % devices)
  semaphore_wait(come)
  out[...] = device

k()
