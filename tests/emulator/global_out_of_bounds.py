# Reads rows beyond the array: the block's offset is twice what it should be.
@kernel(grid=(4,), grid_names=("i",), num_threads=1)
def strays(x: GMEM((256, 64), f32), out: Out((256, 64), f32)):
  row = axis_index("i") * 64
  out[ds(row, 64), :] = x[ds(row * 2, 64), :]  # fault: which has 65536 bytes

strays(zeros((256, 64), f32))
