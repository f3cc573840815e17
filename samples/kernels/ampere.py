# A product on every GPU since Ampere, without TMA: `cp.async` fills tiles, `mma` multiplies.
# lanescope run samples/kernels/ampere.py --arch sm_80 --device emulator
#
# Before sm_90 the threads copy: each moves its pieces of 16 bytes, and arrives at the barrier when they have landed. So
# the kernel reads like one for Hopper, and runs there as well, by TMA.

m, n, k = 128, 64, 256
stages, step = 3, 64
steps = k // step
swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

@kernel(grid=(1,), grid_names=("block",), num_threads=1,
        scratch=[SMEM((stages, m, step), f16, transforms=swizzled), SMEM((stages, step, n), f16, transforms=swizzled),
                 Barrier(num_barriers=stages, num_arrivals=2)])
def product(a: GMEM((m, k), f16), b: GMEM((k, n), f16), out: Out((m, n), f32), a_tiles, b_tiles, loaded):
  # Starts the copies of one step into its slot; both arrive at its barrier.
  def fetch(i):
    slot = i % stages
    copy_gmem_to_smem(a.at[:, ds(i * step, step)], a_tiles.at[slot], loaded.at[slot])
    copy_gmem_to_smem(b.at[ds(i * step, step), :], b_tiles.at[slot], loaded.at[slot])

  with region("warm up"):
    for i in range(stages - 1):
      fetch(i)
  total = full((m, n), 0, f32)
  for i in range(steps):
    if i + stages - 1 < steps:
      fetch(i + stages - 1)
    with region("wait"):
      barrier_wait(loaded.at[i % stages])
    with region("multiply"):
      left = load(a_tiles.at[i % stages], layout=MMA_LHS(f16))
      right = load(b_tiles.at[i % stages], layout=MMA_RHS(f16))
      total = mma(total, left, right)
  out[...] = total

a, b = random((m, k), f16, seed=0), random((k, n), f16, seed=1)
result = run(product, a, b, profile=True)
assert allclose(result.outputs[0], a.astype(f32) @ b.astype(f32), atol=1e-3)
print(f"{m} x {n} sums of {k} products: {result.time_us:.1f} us, correct")
