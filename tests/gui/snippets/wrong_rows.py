# Doubles a matrix, 64 rows a warpgroup, but the second warpgroup starts in the middle of the first one's rows.
@kernel(grid=(1,), num_threads=2, thread_name="warpgroup")
def double(x: GMEM((128, 64), f32), out: Out((128, 64), f32)):
  warpgroup = axis_index("warpgroup")
  row = warpgroup * 32
  value = load(x.at[ds(row, 64), :], layout=WGMMA)
  out[ds(row, 64), :] = value + value

x = reshape(arange(128 * 64, dtype=f32), (128, 64))
y = double(x)
assert allclose(y, 2 * x)
