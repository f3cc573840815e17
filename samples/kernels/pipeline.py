# Adds up the 64-column blocks of a matrix, two warpgroups a block, each with two buffers in flight.
# lanescope run samples/kernels/pipeline.py

rows, columns, width = 512, 512, 64
steps = columns // width

@kernel(grid=(4,), grid_names=("block",), num_threads=2, thread_name="warpgroup",
        scratch=[SMEM((2, 2, 64, width), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                 Barrier(num_barriers=4)])
def add_blocks(x: GMEM((rows, columns), f16), out: Out((rows, width), f32), buffers, loaded):
  warpgroup = axis_index("warpgroup")
  row = (axis_index("block") * 2 + warpgroup) * 64

  # Starts the copy of one block into a slot. Each warpgroup has its own two slots, so neither waits for the other.
  def fetch(step, slot):
    copy_gmem_to_smem(x.at[ds(row, 64), ds(step * width, width)], buffers.at[warpgroup, slot],
                      loaded.at[warpgroup * 2 + slot])

  with region("warm up"):
    fetch(0, 0)
  total = full((64, width), 0, f32)
  for step in range(steps):
    slot = step % 2
    if step + 1 < steps:
      with region("fetch"):
        fetch(step + 1, 1 - slot)
    with region("wait"):
      barrier_wait(loaded.at[warpgroup * 2 + slot])
    with region("add"):
      total = total + load(buffers.at[warpgroup, slot], layout=WGMMA).astype(f32)
  with region("store"):
    out[ds(row, 64), :] = total

x = random((rows, columns), f16, seed=1)
result = run(add_blocks, x, profile=True)
expected = sum(reshape(astype(x, f32), (rows, steps, width)), axis=1)
assert allclose(result.outputs[0], expected, atol=1e-2)
show(result.trace)
