# The warpgroup overwrites the tile while the copy out still reads it.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16)])
def reused(out: Out((64, 64), f16), tile):
  tile[...] = full((64, 64), 1, f16)
  commit_smem()
  copy_smem_to_gmem(tile, out)
  #+ wait_smem_to_gmem(0)
  tile[...] = full((64, 64), 2, f16)  # fault: which a copy still reads
  wait_smem_to_gmem(0)

reused()
