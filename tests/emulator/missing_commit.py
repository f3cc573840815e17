# The copy out reads what the warpgroup has written, without a `commit_smem()` between.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16)])
def uncommitted(out: Out((64, 64), f16), tile):
  tile[...] = full((64, 64), 1, f16)
  #+ commit_smem()
  copy_smem_to_gmem(tile, out)  # fault: through the async proxy
  wait_smem_to_gmem(0)

uncommitted()
