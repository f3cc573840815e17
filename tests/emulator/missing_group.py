# The copies are in no group, so the wait counts none of them.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((4, 128), f32)])
def ungrouped(out: Out((4, 128), f32), rows):
  rows[...] = full((4, 128), 1, f32)
  commit_smem()
  for i in static_range(4):
    copy_smem_to_gmem(rows.at[i], out.at[i], commit_group=False)  # hazard: `commit_smem_to_gmem_group()`
  #+ commit_smem_to_gmem_group()
  wait_smem_to_gmem(0)

ungrouped()
