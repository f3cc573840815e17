# Layer normalisation: each row of x to mean 0 and variance 1, then scaled and shifted per column.
# lanescope run kernels/layer_norm.py

epsilon = 1e-5

# A block to a row, a part of the row to each warp: see rms_norm.py. `staged`: the row comes by TMA, in one piece.
def make_layer_norm(dtype=f32, warpgroups=1, staged=False):
  lane, warps = 16 // dtype.itemsize, 4 * warpgroups
  by_warp = TiledLayout(tiling=Tiling(tiles=((4, 32 * lane), (lane,))), warp_dims=(-3,), lane_dims=(-2,), vector_dim=-1)

  @kernel(grid=lambda: (ROWS,), grid_names=("row",), num_threads=warpgroups, thread_name="warpgroup",
          scratch=lambda: [SMEM((2, warps), f32), SMEM((COLUMNS,), dtype) if staged else None, Barrier() if staged else None])
  def layer_norm(x: GMEM((ROWS, COLUMNS), dtype), gain: GMEM((COLUMNS,), dtype), shift: GMEM((COLUMNS,), dtype),
                 out: Out((ROWS, COLUMNS), dtype), sums, tile, loaded):
    assert COLUMNS % (warps * 32 * lane) == 0, "whole accesses of 16 bytes by each thread"
    row, warpgroup = axis_index("row"), axis_index("warpgroup")
    mine = ds(4 * warpgroup, 4)

    # The parts of a row that are this warpgroup's: one below the other, so that a sum along one stays in its warp.
    def parts(row):
      return row.reshape((warps, COLUMNS // warps)).at[mine]

    # The sum over the whole row; each of the two has its own place, so that nobody waits to write the second.
    def whole(values, place):
      sums[place, mine] = sum(values, axis=1)
      named_barrier_sync(0, num_warpgroups=warpgroups)
      return sum([sums[place, warp] for warp in range(warps)])

    source = x.at[row]
    if staged:
      if warpgroup == 0:
        copy_gmem_to_smem(source, tile, loaded, oob_mode="promise_in_bounds")
      barrier_wait(loaded)
      source = tile
    values, scale = [load(parts(each), layout=by_warp).astype(f32) for each in (source, gain)]
    # The mean goes first: the sum of squares of what is left loses no digits, as mean(x * x) - mean(x) ** 2 would.
    centred = values - whole(values, 0) * (1.0 / COLUMNS)
    variance = whole(centred * centred, 1) * (1.0 / COLUMNS)
    # The shift comes last: until then its registers let another block run.
    offset = load(parts(shift), layout=by_warp).astype(f32)
    parts(out.at[row])[...] = (centred * rsqrt(variance + epsilon) * scale + offset).astype(dtype)

  return layer_norm

# What was the fastest on an H200, by (ROWS, COLUMNS); other sizes take the nearest row, or what `tune` found here.
configurations = {(65536, 1024): dict(warpgroups=1), (16384, 4096): dict(warpgroups=2, staged=True),
                  (8192, 8192): dict(warpgroups=2)}

def layer_norm_for(rows, columns, dtype=f32):
  return make_layer_norm(dtype, **tuned("layer_norm", (rows, columns), configurations))

# The check, small enough for the emulator.
rows, columns = 16, 1024
x = random((rows, columns), f32, seed=0) * 3 + 1
gain, shift = random((columns,), f32, seed=1), random((columns,), f32, seed=2)
centred = x - reshape(sum(x, axis=1) / columns, (rows, 1))
variance = reshape(sum(centred * centred, axis=1) / columns, (rows, 1))
expected = centred / sqrt(variance + epsilon) * gain + shift
for make in (make_layer_norm(f32, 2), make_layer_norm(f32, 2, staged=True), layer_norm_for(rows, columns)):
  assert allclose(make(x, gain, shift), expected, atol=1e-5)
halves = [value.astype(f16) for value in (x, gain, shift)]
assert allclose(make_layer_norm(f16)(*halves).astype(f32), expected, atol=1e-2)
print("layer_norm: the result is right")
