# Layer normalisation: each row of x to mean 0 and variance 1, then scaled and shifted per column.
# lanescope run kernels/layer_norm.py

epsilon = 1e-5

# A block to a row; of long rows each warpgroup takes a part: see rms_norm.py.
def make_layer_norm(dtype=f32, warpgroups=1):
  lane = 16 // dtype.itemsize
  along = TiledLayout(tiling=Tiling(tiles=((128 * lane,), (32 * lane,), (lane,))), warp_dims=(-3,), lane_dims=(-2,),
                      vector_dim=-1)

  @kernel(grid=lambda: (ROWS,), grid_names=("row",), num_threads=warpgroups, thread_name="warpgroup",
          scratch=[SMEM((2 * warpgroups,), f32)])
  def layer_norm(x: GMEM((ROWS, COLUMNS), dtype), gain: GMEM((COLUMNS,), dtype), shift: GMEM((COLUMNS,), dtype),
                 out: Out((ROWS, COLUMNS), dtype), sums):
    part = COLUMNS // warpgroups
    assert part % (128 * lane) == 0 and COLUMNS % warpgroups == 0, "whole accesses of 16 bytes by each thread"
    row, warpgroup = axis_index("row"), axis_index("warpgroup")
    mine = ds(warpgroup * part, part)

    # The sum over the whole row; each of the two has its own place, so that nobody waits to write the second.
    def whole(total, place):
      if warpgroups == 1:
        return total
      sums[place * warpgroups + warpgroup] = total
      named_barrier_sync(0, num_warpgroups=warpgroups)
      total = sums[place * warpgroups]
      for other in static_range(1, warpgroups):
        total = total + sums[place * warpgroups + other]
      return total

    values = load(x.at[row, mine], layout=along).astype(f32)
    # The mean goes first: the sum of squares of what is left loses no digits, as mean(x * x) - mean(x) ** 2 would.
    centred = values - whole(sum(values), 0) * (1.0 / COLUMNS)
    variance = whole(sum(centred * centred), 1) * (1.0 / COLUMNS)
    # What is per column comes from the L2 cache, and late: until then its registers let another block run.
    scale, offset = [load(each.at[mine], layout=along).astype(f32) for each in (gain, shift)]
    out[row, mine] = (centred * rsqrt(variance + epsilon) * scale + offset).astype(dtype)

  return layer_norm

# What was the fastest on an H200, by (ROWS, COLUMNS); other sizes take the nearest row, or what `tune` found here.
configurations = {(65536, 1024): dict(warpgroups=1), (16384, 4096): dict(warpgroups=2), (8192, 8192): dict(warpgroups=4)}

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
