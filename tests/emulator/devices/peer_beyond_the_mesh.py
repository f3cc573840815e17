# The last device writes to a device that does not exist.
devices = 2
@kernel(mesh={"x": devices})
def k(out: Out((128,), i32, sharding="x")):
  device = axis_index("x")
  remote_ref(out, device + 1)[...] = device  # fault: the number of the device is not below
  #= remote_ref(out, (device + 1) % devices)[...] = device

k()
