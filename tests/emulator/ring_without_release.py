# A ring of two slots feeds two warpgroups. The producer does not wait until the consumers have released a slot
# (`barrier_wait(released.at[slot])`), so a copy overwrites what a wgmma of the other warpgroup may still read.
n, tile, depth = 256, 128, 64
tiled = (TilingTransform((8, 64)), SwizzleTransform(128))

@kernel(grid=(n // tile, n // tile), grid_names=("i", "j"), num_threads=2, thread_name="wg",
        scratch=[SMEM((2, tile, depth), f16, transforms=tiled), SMEM((2, depth, tile), f16, transforms=tiled),
                 Barrier(num_barriers=2, num_arrivals=2), Barrier(num_barriers=2, num_arrivals=2), ACC((64, tile), f32)])
def matmul(a: GMEM((n, n), f16), b: GMEM((n, n), f16), out: Out((n, n), f32), left, right, loaded, released, acc):
  i, j, wg = axis_index("i") * tile, axis_index("j") * tile, axis_index("wg")
  for step in range(n // depth):
    slot = step % 2
    if wg == 0:
      #+ if step >= 2:
      #+   barrier_wait(released.at[slot])
      copy_gmem_to_smem(a.at[ds(i, tile), ds(step * depth, depth)], left.at[slot], loaded.at[slot])  # fault: which a wgmma still reads
      copy_gmem_to_smem(b.at[ds(step * depth, depth), ds(j, tile)], right.at[slot], loaded.at[slot])
    barrier_wait(loaded.at[slot])
    wgmma(acc, left.at[slot, ds(wg * 64, 64)], right.at[slot])  # note: issued here
    wgmma_wait(0)
    barrier_arrive(released.at[slot])
  out[ds(i + wg * 64, 64), ds(j, tile)] = acc[...]

matmul(zeros((n, n), f16), zeros((n, n), f16))
