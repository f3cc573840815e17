# The block exits, which frees its shared memory, while the copy out of that memory is still in flight.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16)])
def leaves(out: Out((64, 64), f16), tile):
  tile[...] = full((64, 64), 1, f16)
  commit_smem()
  copy_smem_to_gmem(tile, out)  # hazard: ends while this copy still reads its shared memory
  #+ wait_smem_to_gmem(0, wait_read_only=True)

leaves()
