# Two devices swap halves of an array, three times over: each multiplies, sends, and waits for the other one.
steps = 3

@kernel(mesh={"x": 2}, scratch=[SMEM((64, 64), f32), Semaphore()])
def swap(x: GMEM((64, 64), f32, sharding=("x", None)), inbox: Out((steps, 64, 64), f32, sharding=("x",)),
         out: Out((64, 64), f32, sharding=("x", None)), tile, come):
  other = 1 - axis_index("x")
  value = x[...]
  for step in static_range(steps):
    with region("compute"):
      value = value * 2 + 1
      tile[...] = value
      commit_smem()
    with region("send"):
      copy_smem_to_gmem(tile, remote_ref(inbox, other).at[step])
      wait_smem_to_gmem(0)
      semaphore_signal(come, device_id=other)
    with region("wait"):
      semaphore_wait(come)
    value = inbox[step]
  out[...] = value

result = run(swap, random((128, 64), f32, seed=0), profile=True)
print(result.trace)
