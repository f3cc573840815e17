# Row 0 of the field belongs to the device above, and the last row to the device below. The row sent down is one too low.
devices = 2
rows = 8
@kernel(mesh={"x": devices}, scratch=[Semaphore(count=2)])
def k(x: GMEM((rows, 128), f32, sharding="x"), field: Out((rows + 2, 128), f32, sharding="x"), out: Out((rows, 128), f32, sharding="x"), come):
  device = axis_index("x")
  above, below = (device + devices - 1) % devices, (device + 1) % devices
  field[1:rows + 1] = x[...]  # either: without an order between them
  remote_ref(field, below)[1] = x[rows - 1]  # either: without an order between them
  #= remote_ref(field, below)[0] = x[rows - 1]
  remote_ref(field, above)[rows + 1] = x[0]
  semaphore_signal_parallel(SemaphoreSignal(come.at[0], device_id=below), SemaphoreSignal(come.at[1], device_id=above))
  semaphore_wait(come.at[0])
  semaphore_wait(come.at[1])
  out[...] = field[0:rows] + field[2:rows + 2]

k(random((devices * rows, 128), f32, seed=0))
