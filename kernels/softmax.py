# Softmax over the rows of a matrix in one pass over memory: a row stays in the registers of one warpgroup.
# lanescope run kernels/softmax.py

log2e = 1.4426950408889634

# Many small blocks, one per row, keep the memory busier than few large ones: while one computes, others load. Each lane
# accesses 16 bytes at once. Up to 16384 columns of 32 bits stay in registers.
def make_softmax(dtype=f32):
  lane = 16 // dtype.itemsize
  by_row = TiledLayout(tiling=Tiling(tiles=((1, 128 * lane), (32 * lane,), (lane,))), warp_dims=(-3,), lane_dims=(-2,),
                       vector_dim=-1)

  @kernel(grid=lambda: (ROWS,), grid_names=("row",))
  def softmax(x: GMEM((ROWS, COLUMNS), dtype), out: Out((ROWS, COLUMNS), dtype)):
    assert COLUMNS % (128 * lane) == 0, "whole accesses of 16 bytes by each of 128 threads"
    row, shape = ds(axis_index("row"), 1), (1, COLUMNS)
    values = load(x.at[row], layout=by_row, eviction_policy="evict_last").astype(f32) # see rms_norm.py
    # Subtracting the largest keeps exp from overflowing; the result is the same. A power of two is one instruction.
    largest = max(values, axis=1) * log2e
    powers = exp2(values * log2e - broadcast_in_dim(largest, shape, (0,)), approx=True)
    # One division per row.
    out[row] = (powers * broadcast_in_dim(1.0 / sum(powers, axis=1), shape, (0,))).astype(dtype)

  return softmax

# The check, small enough for the emulator.
x = random((16, 1024), f32, seed=0) * 8
expected = exp(x - reshape(max(x, axis=1), (16, 1)))
expected = expected / reshape(sum(expected, axis=1), (16, 1))
assert allclose(make_softmax()(x), expected, atol=1e-6)
assert allclose(make_softmax(bf16)(x.astype(bf16)).astype(f32), expected, atol=3e-2)
print("softmax: the result is right")
