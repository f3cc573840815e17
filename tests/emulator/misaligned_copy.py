# The copy starts 4 elements of f16 into a row. That is 8 bytes, but TMA copies start at multiples of 16.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16), Barrier()])
def shifted(x: GMEM((64, 128), f16), at: GMEM((1,), i32), out: Out((64, 64), f16), tile, loaded):
  copy_gmem_to_smem(x.at[:, ds(at[0], 64)], tile, loaded)  # fault: is a multiple of 16 bytes
  #= copy_gmem_to_smem(x.at[:, ds(at[0] * 2, 64)], tile, loaded)
  barrier_wait(loaded)
  out[...] = tile[...]

shifted(zeros((64, 128), f16), full((1,), 4, i32))
