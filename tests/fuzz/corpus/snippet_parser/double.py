# Doubles a tile through swizzled shared memory.   lanescope run samples/kernels/double.py

# A kernel for one element type and one swizzle: a tile of shared memory is as many elements wide as the swizzle has bytes.
def make_double(dtype, swizzle):
  if swizzle is None:
    transforms = ()
  else:
    transforms = (TilingTransform((8, swizzle * 8 // dtype.bits)), SwizzleTransform(swizzle))

  @kernel(grid=(1,), num_threads=1,
          scratch=[SMEM((128, 128), dtype, transforms=transforms), Barrier()])
  def double(x: GMEM((128, 128), dtype), out: Out((128, 128), dtype), tile, loaded):
    with region("load"):
      copy_gmem_to_smem(x, tile, loaded)
      barrier_wait(loaded)
    with region("double"):
      tile[...] = tile[...] * 2
      commit_smem()
    with region("store"):
      copy_smem_to_gmem(tile, out)
      wait_smem_to_gmem(0)

  return double

for dtype in (f32, bf16, f16):
  for swizzle in (None, 32, 64, 128):
    x = random((128, 128), dtype, seed=0)
    result = run(make_double(dtype, swizzle), x, profile=True)
    assert allclose(result.outputs[0], x * 2), f"{dtype} with swizzle {swizzle} gives wrong numbers"
    print(f"{dtype} with swizzle {swizzle}: {result.time_us:.1f} us, correct")

show(result.trace)
