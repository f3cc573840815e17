# A ring of two places. The sender waits for a free place one round too late: it refills a place after three steps, not two.
devices = 4  # on: 0 # on: 5
@kernel(mesh={"x": devices}, scratch=[SMEM((64, 64), f32), Semaphore(count=2)])
def k(x: GMEM((64, 64), f32, sharding="x"), inbox: Out((2, 64, 64), f32, sharding=(None, "x")), out: Out((64, 64), f32, sharding="x"), tile, s):
  device = axis_index("x")
  after, before = (device + 1) % devices, (device + devices - 1) % devices
  for step in range(6):
    if step >= 3:
    #= if step >= 2:
      semaphore_wait(s.at[1])
    tile[...] = x[...] + step
    commit_smem()
    copy_smem_to_gmem(tile, remote_ref(inbox, after).at[step % 2])  # either: without an order between them
    wait_smem_to_gmem(0)
    semaphore_signal(s.at[0], device_id=after)
    semaphore_wait(s.at[0])
    out[...] = inbox[step % 2]  # either: without an order between them
    semaphore_signal(s.at[1], device_id=before)

k(random((devices * 64, 64), f32, seed=0))
