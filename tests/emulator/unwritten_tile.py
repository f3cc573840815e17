# The kernel reads the tile before anything has written it.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f32)])
def empty(out: Out((64, 64), f32), tile):
  #+ tile[...] = full((64, 64), 1, f32)
  #+ commit_smem()
  out[...] = tile[...]  # fault: which nothing has written

empty()
