# Adds up the column blocks of a matrix with as many copies in flight as a slider says.
# lanescope gui samples/kernels/tune_stages.py          lanescope run samples/kernels/tune_stages.py --param stages=4

stages = param("stages", 2, range(1, 7), "buffers that copies fill while another one is added up")
width = param("width", 64, (32, 64), "columns of a block")
swizzle = param("swizzle", 128, (32, 64, 128), "bytes; a block's row must hold it")
layout = param("layout", "WGMMA", ("WGMMA", "WGMMA_UPCAST_2X"), "which thread adds up which element")

rows, columns = 128, 512
steps = columns // width
lay = {"WGMMA": WGMMA, "WGMMA_UPCAST_2X": WGMMA_UPCAST_2X}[layout]
swizzle = min(swizzle, width * 2)

@kernel(grid=(2,), grid_names=("block",),
        scratch=[SMEM((stages, 64, width), f16, transforms=(TilingTransform((8, swizzle // 2)), SwizzleTransform(swizzle))),
                 Barrier(num_barriers=stages)])
def add_blocks(x: GMEM((rows, columns), f16), out: Out((rows, width), f32), buffers, loaded):
  row = axis_index("block") * 64

  def fetch(step):
    copy_gmem_to_smem(x.at[ds(row, 64), ds(step * width, width)], buffers.at[step % stages], loaded.at[step % stages])

  with region("warm up"):
    for step in static_range(stages - 1):
      fetch(step)
  total = full((64, width), 0, f32)
  for step in range(steps):
    if step + stages - 1 < steps:
      with region("fetch"):
        fetch(step + stages - 1)
    with region("wait"):
      barrier_wait(loaded.at[step % stages])
    with region("add"):
      total = total + load(buffers.at[step % stages], layout=lay).astype(f32)
  with region("store"):
    out[ds(row, 64), :] = total

x = random((rows, columns), f16, seed=1)
result = run(add_blocks, x, profile=True)
assert allclose(result.outputs[0], sum(reshape(astype(x, f32), (rows, steps, width)), axis=1), atol=1e-2)
show(lay, (64, width))
show(result.trace)
