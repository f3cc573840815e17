# The copy out reads what the warpgroup wrote without `commit_smem()` between the two.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16)])
def uncommitted(out: Out((64, 64), f16), tile):
  tile[...] = full((64, 64), 1, f16)
  #+ commit_smem()
  copy_smem_to_gmem(tile, out)  # fault: through the async proxy
  wait_smem_to_gmem(0)

uncommitted()
