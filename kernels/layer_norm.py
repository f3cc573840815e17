# Layer normalisation: each row of x to mean 0 and variance 1, then scaled and shifted per column.
# lanescope run kernels/layer_norm.py

# A warp takes whole rows, so that both sums need shuffles only; a lane takes four neighbours, one 16-byte access.
by_rows = TiledLayout(tiling=Tiling(tiles=((4, 128), (4,))), warp_dims=(-3,), lane_dims=(-2,), vector_dim=-1)
block_rows = 4
epsilon = 1e-5

@kernel(grid=lambda: (ROWS // block_rows,), grid_names=("block",))
def layer_norm(x: GMEM((ROWS, COLUMNS), f32), gain: GMEM((COLUMNS,), f32), shift: GMEM((COLUMNS,), f32),
               out: Out((ROWS, COLUMNS), f32)):
  assert ROWS % block_rows == 0 and COLUMNS % 128 == 0, "whole blocks of 4 rows, whole accesses of 128 columns"
  rows = ds(axis_index("block") * block_rows, block_rows)
  shape = (block_rows, COLUMNS)
  values = load(x.at[rows], layout=by_rows)
  # The mean goes first: the sum of squares of what is left loses no digits, as mean(x * x) - mean(x) ** 2 would.
  mean = sum(values, axis=1) / COLUMNS
  centred = values - broadcast_in_dim(mean, shape, (0,))
  variance = sum(centred * centred, axis=1) / COLUMNS
  normal = centred * broadcast_in_dim(rsqrt(variance + epsilon), shape, (0,))
  # What a column needs is what the layout keeps when the rows are taken away.
  columns = by_rows.reduce((0,))
  scale = broadcast_in_dim(load(gain, layout=columns), shape, (1,))
  out[rows] = normal * scale + broadcast_in_dim(load(shift, layout=columns), shape, (1,))

# The check, small enough for the emulator.
rows, columns = 32, 1024
x = random((rows, columns), f32, seed=0) * 3 + 1
gain, shift = random((columns,), f32, seed=1), random((columns,), f32, seed=2)
centred = x - reshape(sum(x, axis=1) / columns, (rows, 1))
variance = reshape(sum(centred * centred, axis=1) / columns, (rows, 1))
expected = centred / sqrt(variance + epsilon) * gain + shift
assert allclose(layer_norm(x, gain, shift), expected, atol=1e-5)
print("layer_norm: the result is right")
