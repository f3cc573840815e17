# The warpgroup reads the tile while its copy is still in flight: the wait on `loaded` is missing.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16), Barrier()])
def hasty(x: GMEM((64, 64), f16), out: Out((64, 64), f16), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  #+ barrier_wait(loaded)
  out[...] = tile[...]  # fault: which a copy still fills

hasty(zeros((64, 64), f16))
