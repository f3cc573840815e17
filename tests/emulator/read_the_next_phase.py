# The warpgroup reads the second tile after the first wait only. Fast warps read the first tile again, and the copy
# overwrites it meanwhile.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16), Barrier()])
def one_wait(x: GMEM((2, 64, 64), f16), out: Out((64, 64), f16), tile, loaded):
  copy_gmem_to_smem(x.at[0], tile, loaded)
  barrier_wait(loaded)
  copy_gmem_to_smem(x.at[1], tile, loaded)  # fault: without an order between them
  #+ barrier_wait(loaded)
  out[...] = tile[...]  # note: read it here

one_wait(zeros((2, 64, 64), f16))
