# The edges of consecutive steps share one place: a device writes a new edge while the neighbour may still read the old one.
devices = 2
rows = 16  # on: 0  # on: 5
@kernel(mesh={"x": devices}, scratch=[SMEM((rows + 2, 128), f32), Semaphore(count=2)])
def k(field: GMEM((rows, 128), f32, sharding="x"), edges: Out((2, 2, 128), f32, sharding="x"), tile, come):
  device = axis_index("x")
  above, below = (device + devices - 1) % devices, (device + 1) % devices
  tile[1:rows + 1] = field[...]
  for step in range(4):
    place = 0
    #= place = step % 2
    remote_ref(edges, above)[place, 1] = tile[1]  # either: without an order between them
    remote_ref(edges, below)[place, 0] = tile[rows]  # either: without an order between them
    semaphore_signal_parallel(SemaphoreSignal(come.at[1], device_id=above), SemaphoreSignal(come.at[0], device_id=below))
    semaphore_wait(come.at[0])
    semaphore_wait(come.at[1])
    tile[0] = edges[place, 0]  # either: without an order between them
    tile[rows + 1] = edges[place, 1]  # either: without an order between them
    tile[1:rows + 1] = (tile[0:rows] + tile[2:rows + 2]) * 0.5

k(random((devices * rows, 128), f32, seed=0))
