# A product on Hopper with an error: a slot is filled again too early. One warpgroup copies steps of K into two slots, the other one multiplies them (wgmma).
# lanescope run samples/packages/wgmma_too_early/wgmma_too_early.py

M, N, K, width = 64, 64, 256, 64
steps = K // width
swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

@kernel(grid=(1,), num_threads=2, thread_name="warpgroup",
        scratch=[SMEM((2, M, width), f16, transforms=swizzled), SMEM((2, width, N), f16, transforms=swizzled),
                 Barrier(num_arrivals=2, num_barriers=2),  # a and b have arrived
                 Barrier(num_barriers=2),                  # the product has read them
                 ACC((M, N), f32)])
def multiply(a: GMEM((M, K), f16), b: GMEM((K, N), f16), out: Out((M, N), f32), a_tiles, b_tiles, loaded, read, total):
  if axis_index("warpgroup") == 0:
    for step in range(steps):
      slot = step % 2
      # Missing: the wait until the product has read the slot.
      copy_gmem_to_smem(a.at[:, ds(step * width, width)], a_tiles.at[slot], loaded.at[slot])
      copy_gmem_to_smem(b.at[ds(step * width, width), :], b_tiles.at[slot], loaded.at[slot])
  else:
    for step in range(steps):
      slot = step % 2
      barrier_wait(loaded.at[slot])
      wgmma(total, a_tiles.at[slot], b_tiles.at[slot])
      wgmma_wait(0)
      barrier_arrive(read.at[slot])
    out[:, :] = total[...]

a, b = random((M, K), f16, seed=1), random((K, N), f16, seed=2)
result = run(multiply, a, b)
assert allclose(result.outputs[0], a.astype(f32) @ b.astype(f32), atol=1e-1)
