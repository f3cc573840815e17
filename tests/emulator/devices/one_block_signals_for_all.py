# The first block signals for both blocks, but its signal does not order what the other block has sent.
devices = 2
@kernel(mesh={"x": devices}, grid=(2,), grid_names=("b",), scratch=[Semaphore(count=2)])
def k(x: GMEM((2, 128), f32, sharding=(None, "x")), inbox: Out((2, 128), f32, sharding=(None, "x")), out: Out((2, 128), f32, sharding=(None, "x")), come):
  device, b = axis_index("x"), axis_index("b")
  after = (device + 1) % devices
  remote_ref(inbox, after)[b] = x[b]  # either: without an order between them
  for to in static_range(2):
    if b == 0:
    #= if b == to:
      semaphore_signal(come.at[to], device_id=after)
  semaphore_wait(come.at[b])
  out[b] = inbox[b]  # either: without an order between them

k(random((2, devices * 128), f32, seed=0))
