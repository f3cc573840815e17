# Smooths a field many times. Its rows are split over devices, and before each step neighbours exchange the rows at
# their edges. The last device's neighbour is the first one.
# lanescope run samples/multi/halo.py

rows, columns = 32, 128  # sizes of a device's part

def make_smooth(devices, steps):
  @kernel(mesh={"x": devices}, scratch=[SMEM((rows + 2, columns), f32), Semaphore(count=2)])
  def smooth(field: GMEM((rows, columns), f32, sharding=("x", None)),
             edges: Out((2, 2, columns), f32, sharding=("x",)),
             out: Out((rows, columns), f32, sharding=("x", None)), tile, come):
    device = axis_index("x")
    above, below = (device + devices - 1) % devices, (device + 1) % devices
    tile[1:rows + 1] = field[...]
    for step in range(steps):
      # A neighbour is at most one step ahead, because it waits for this device's rows. So each edge has two places.
      place = step % 2
      with region("send the edges"):
        remote_ref(edges, above)[place, 1] = tile[1]
        remote_ref(edges, below)[place, 0] = tile[rows]
        semaphore_signal_parallel(SemaphoreSignal(come.at[1], device_id=above), SemaphoreSignal(come.at[0], device_id=below))
      with region("wait"):
        semaphore_wait(come.at[0])
        semaphore_wait(come.at[1])
      with region("smooth"):
        tile[0] = edges[place, 0]
        tile[rows + 1] = edges[place, 1]
        tile[1:rows + 1] = (tile[0:rows] + tile[2:rows + 2]) * 0.25 + tile[1:rows + 1] * 0.5
    out[...] = tile[1:rows + 1]

  return smooth

for devices in (1, 2, 4, 8):
  field = random((devices * rows, columns), f32, seed=devices)
  _, out = make_smooth(devices, steps=5)(field)
  for _ in range(5):
    up, down = concatenate([field[-1:], field[:-1]]), concatenate([field[1:], field[:1]])
    field = (up + down) * 0.25 + field * 0.5
  assert allclose(out, field, atol=1e-6)
# Shows when four devices did what.
run(make_smooth(4, steps=5), random((4 * rows, columns), f32, seed=4), profile=True)
print("halo: the result is right")
