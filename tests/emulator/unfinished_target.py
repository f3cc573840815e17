# The block reads back what it has copied out, but has waited only for the source of the copy.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16)])
def reads_back(out: Out((64, 64), f16), again: Out((64, 64), f16), tile):
  tile[...] = full((64, 64), 1, f16)
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0, wait_read_only=True)
  #= wait_smem_to_gmem(0)
  again[...] = out[...]  # fault: which a copy still writes

reads_back()
