# One warpgroup copies columns for another through a ring of four stages. lanescope check short_ring.py --coverage
# The check is too small: with three steps, the ring never uses a stage twice.
width, stages = 64, 4

@kernel(num_threads=2, thread_name="warpgroup",
        scratch=[SMEM((stages, 64, width), f32), Barrier(num_barriers=stages), Barrier(num_barriers=stages)])
def copy_columns(x: GMEM((64, N), f32), out: Out((64, N), f32), tiles, loaded, read):
  if axis_index("warpgroup") == 0:
    for step in range(N // width):
      stage = step % stages
      if step >= stages:
        barrier_wait(read.at[stage])
      copy_gmem_to_smem(x.at[:, ds(step * width, width)], tiles.at[stage], loaded.at[stage])
  else:
    for step in range(N // width):
      stage = step % stages
      barrier_wait(loaded.at[stage])
      out[:, ds(step * width, width)] = load(tiles.at[stage], layout=WGMMA)
      barrier_arrive(read.at[stage])

x = random((64, 192), f32, seed=1)
assert allclose(copy_columns(x), x)
