# Layer normalisation: gives each row of x mean 0 and variance 1, then scales and shifts per column.
# lanescope run kernels/layer_norm.py

epsilon = 1e-5

# Each block has one row, and each warp a part of the row: see rms_norm.py.
def make_layer_norm(dtype=f32, warpgroups=1):
  lane, warps = 16 // dtype.itemsize, 4 * warpgroups
  by_warp = TiledLayout(tiling=Tiling(tiles=((4, 32 * lane), (lane,))), warp_dims=(-3,), lane_dims=(-2,), vector_dim=-1)

  @kernel(grid=lambda: (ROWS,), grid_names=("row",), num_threads=warpgroups, thread_name="warpgroup",
          scratch=[SMEM((2, warps), f32)])
  def layer_norm(x: GMEM((ROWS, COLUMNS), dtype), gain: GMEM((COLUMNS,), dtype), shift: GMEM((COLUMNS,), dtype),
                 out: Out((ROWS, COLUMNS), dtype), sums):
    assert COLUMNS % (warps * 32 * lane) == 0, "whole accesses of 16 bytes by each thread"
    row, mine = axis_index("row"), ds(4 * axis_index("warpgroup"), 4)

    # This warpgroup's parts of a row, one below the other, so that the sum of a part stays in its warp.
    def parts(row):
      return row.reshape((warps, COLUMNS // warps)).at[mine]

    # The sum over the whole row. Each of the two sums has its own place, so that no warp waits to write the second.
    def whole(values, place):
      sums[place, mine] = sum(values, axis=1)
      named_barrier_sync(0, num_warpgroups=warpgroups)
      return sum([sums[place, warp] for warp in range(warps)])

    values = load(parts(x.at[row]), layout=by_warp, eviction_policy="evict_last").astype(f32)
    scale = load(parts(gain), layout=by_warp).astype(f32)
    # Subtracts the mean first. The sum of squares then loses no digits, unlike mean(x * x) - mean(x) ** 2.
    centred = values - whole(values, 0) * (1.0 / COLUMNS)
    variance = whole(centred * centred, 1) * (1.0 / COLUMNS)
    # Loads the shift last. Until then the free registers let another block run.
    offset = load(parts(shift), layout=by_warp).astype(f32)
    parts(out.at[row])[...] = (centred * rsqrt(variance + epsilon) * scale + offset).astype(dtype)

  return layer_norm

# The fastest on an H200, by (ROWS, COLUMNS). Other sizes take the nearest row, or the result of `tune` on this machine.
configurations = {(65536, 1024): dict(warpgroups=1), (16384, 4096): dict(warpgroups=2), (8192, 8192): dict(warpgroups=2)}

def layer_norm_for(rows, columns, dtype=f32):
  return make_layer_norm(dtype, **tuned("layer_norm", (rows, columns), configurations))

# The check, small enough for the emulator.
rows, columns = 16, 1024
x = random((rows, columns), f32, seed=0) * 3 + 1
gain, shift = random((columns,), f32, seed=1), random((columns,), f32, seed=2)
centred = x - reshape(sum(x, axis=1) / columns, (rows, 1))
variance = reshape(sum(centred * centred, axis=1) / columns, (rows, 1))
expected = centred / sqrt(variance + epsilon) * gain + shift
for make in (make_layer_norm(f32, 2), layer_norm_for(rows, columns)):
  assert allclose(make(x, gain, shift), expected, atol=1e-5)
halves = [value.astype(f16) for value in (x, gain, shift)]
assert allclose(make_layer_norm(f16)(*halves).astype(f32), expected, atol=1e-2)
print("layer_norm: the result is right")
