# The data go along one axis of the mesh, and the signal along the other axis.
devices = 4
across = 2 if devices > 1 else 1
@kernel(mesh={"x": devices // across, "y": across}, scratch=[Semaphore()])
def k(v: GMEM((128,), f32, sharding=(("x", "y"),)), inbox: Out((128,), f32, sharding=(("x", "y"),)), out: Out((128,), f32, sharding=(("x", "y"),)), s):
  x, y = axis_index("x"), axis_index("y")
  remote_ref(inbox, {"y": (y + 1) % across})[...] = v[...]  # either: without an order between them
  semaphore_signal(s, device_id={"x": (x + 1) % (devices // across)})
  #= semaphore_signal(s, device_id={"y": (y + 1) % across})
  semaphore_wait(s)
  out[...] = inbox[...]  # either: without an order between them

k(random((devices * 128,), f32, seed=0))
