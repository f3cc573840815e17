# Even devices start with the ring to the right, odd devices with the ring to the left: each waits for the other's second step.
devices = 4
@kernel(mesh={"x": devices}, scratch=[Semaphore(count=2)])
def k(x: GMEM((128,), f32, sharding="x"), inbox: Out((2, 128), f32, sharding=(None, "x")), out: Out((128,), f32, sharding="x"), come):
  device = axis_index("x")
  after, before = (device + 1) % devices, (device + devices - 1) % devices
  if device % 2 == 0:
    remote_ref(inbox, after)[0] = x[...]
    semaphore_signal(come.at[0], device_id=after)
    #+ remote_ref(inbox, before)[1] = x[...]
    #+ semaphore_signal(come.at[1], device_id=before)
    semaphore_wait(come.at[0])  # either: deadlock
    remote_ref(inbox, before)[1] = x[...]
    #= pass
    semaphore_signal(come.at[1], device_id=before)
    #= pass
    semaphore_wait(come.at[1])  # either: deadlock
  else:
    remote_ref(inbox, before)[1] = x[...]
    semaphore_signal(come.at[1], device_id=before)
    #+ remote_ref(inbox, after)[0] = x[...]
    #+ semaphore_signal(come.at[0], device_id=after)
    semaphore_wait(come.at[1])  # either: deadlock
    remote_ref(inbox, after)[0] = x[...]
    #= pass
    semaphore_signal(come.at[0], device_id=after)
    #= pass
    semaphore_wait(come.at[0])  # either: deadlock
  #+ if devices == 1:
  #+   pass
  out[...] = inbox[0] + inbox[1]

k(zeros((devices * 128,), f32))
