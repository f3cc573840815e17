# Device 0 works on an array and sends it; device 1 waits for it.
@kernel(mesh={"x": 2}, scratch=[Semaphore()])
def relay(x: GMEM((32, 64), f32, sharding=("x", None)), inbox: Out((32, 64), f32, sharding=("x", None)),
          out: Out((32, 64), f32, sharding=("x", None)), come):
  if axis_index("x") == 0:
    with region("work"):
      value = x[...]
      for step in range(8):
        value = value * 0.5 + 1
    with region("send"):
      remote_ref(inbox, 1)[...] = value
      semaphore_signal(come, device_id=1)
  else:
    with region("wait"):
      semaphore_wait(come)
    with region("copy"):
      out[...] = inbox[...]

result = run(relay, random((64, 64), f32, seed=0), profile=True)
print(result.trace)
