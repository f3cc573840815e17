# Softmax over the rows of a matrix, one pass over memory: a row stays in the registers of one warp.
# lanescope run kernels/softmax.py

# A warp takes whole rows, so that maximum and sum need shuffles only; a lane takes four neighbours, one 16-byte access.
by_rows = TiledLayout(tiling=Tiling(tiles=((4, 128), (4,))), warp_dims=(-3,), lane_dims=(-2,), vector_dim=-1)
block_rows = 4

@kernel(grid=lambda: (ROWS // block_rows,), grid_names=("block",))
def softmax(x: GMEM((ROWS, COLUMNS), f32), out: Out((ROWS, COLUMNS), f32)):
  assert ROWS % block_rows == 0 and COLUMNS % 128 == 0, "whole blocks of 4 rows, whole accesses of 128 columns"
  rows = ds(axis_index("block") * block_rows, block_rows)
  values = load(x.at[rows], layout=by_rows)
  shape = (block_rows, COLUMNS)
  # Subtracting the largest keeps exp from overflowing; the result is the same.
  powers = exp(values - broadcast_in_dim(max(values, axis=1), shape, (0,)))
  out[rows] = powers / broadcast_in_dim(sum(powers, axis=1), shape, (0,))

# The check, small enough for the emulator.
x = random((64, 1024), f32, seed=0) * 8
expected = exp(x - reshape(max(x, axis=1), (64, 1)))
expected = expected / reshape(sum(expected, axis=1), (64, 1))
assert allclose(softmax(x), expected, atol=1e-6)
print("softmax: the result is right")
