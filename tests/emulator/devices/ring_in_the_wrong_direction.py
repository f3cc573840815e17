# Each device reads a part of the next device, but signals the next device instead of the previous one.
devices = 4
@kernel(mesh={"x": devices}, scratch=[Semaphore()])
def k(x: GMEM((128,), f32, sharding="x"), all: Out((devices, 128), f32, sharding=(None, "x")), ready):
  device = axis_index("x")
  after, before = (device + 1) % devices, (device + devices - 1) % devices
  part = device
  all[part] = x[...]  # either: without an order between them
  for step in range(devices - 1):
    semaphore_signal(ready, device_id=after)
    #= semaphore_signal(ready, device_id=before)
    semaphore_wait(ready)
    part = (part + 1) % devices
    all[part] = remote_ref(all, after)[part]  # either: without an order between them

k(random((devices * 128,), f32, seed=0))
