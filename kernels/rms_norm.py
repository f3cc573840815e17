# RMS normalisation: each row of x divided by the root of its mean square, then scaled per column.
# lanescope run kernels/rms_norm.py

epsilon = 1e-5

# Each block has one row, each warp a part of the row, and each access 16 bytes. Many small blocks keep the memory
# busier than few large ones. Long rows have more warpgroups, so that a multiprocessor has enough threads. Loads with
# the hint that the L2 cache keeps the row are 2 % faster, although no kernel reads the row again.
def make_rms_norm(dtype=f32, warpgroups=1):
  lane, warps = 16 // dtype.itemsize, 4 * warpgroups
  by_warp = TiledLayout(tiling=Tiling(tiles=((4, 32 * lane), (lane,))), warp_dims=(-3,), lane_dims=(-2,), vector_dim=-1)

  @kernel(grid=lambda: (ROWS,), grid_names=("row",), num_threads=warpgroups, thread_name="warpgroup",
          scratch=[SMEM((warps,), f32)])
  def rms_norm(x: GMEM((ROWS, COLUMNS), dtype), gain: GMEM((COLUMNS,), dtype), out: Out((ROWS, COLUMNS), dtype), sums):
    assert COLUMNS % (warps * 32 * lane) == 0, "whole accesses of 16 bytes by each thread"
    row, mine = axis_index("row"), ds(4 * axis_index("warpgroup"), 4)

    # This warpgroup's parts of a row, one below the other, so that the sum of a part stays in its warp.
    def parts(row):
      return row.reshape((warps, COLUMNS // warps)).at[mine]

    values = load(parts(x.at[row]), layout=by_warp, eviction_policy="evict_last").astype(f32)
    scale = load(parts(gain), layout=by_warp).astype(f32)
    # The warps' sums are joined in shared memory, with one barrier.
    sums[mine] = sum(values * values, axis=1)
    named_barrier_sync(0, num_warpgroups=warpgroups)
    total = sum([sums[warp] for warp in range(warps)])
    parts(out.at[row])[...] = (values * rsqrt(total * (1.0 / COLUMNS) + epsilon) * scale).astype(dtype)

  return rms_norm

# The fastest on an H200, by (ROWS, COLUMNS). Other sizes take the nearest row, or the result of `tune` on this machine.
configurations = {(65536, 1024): dict(warpgroups=1), (16384, 4096): dict(warpgroups=2), (8192, 8192): dict(warpgroups=4)}

def rms_norm_for(rows, columns, dtype=f32):
  return make_rms_norm(dtype, **tuned("rms_norm", (rows, columns), configurations))

# The check, small enough for the emulator.
rows, columns = 16, 1024
x = random((rows, columns), f32, seed=0) * 3 + 1
gain = random((columns,), f32, seed=1)
expected = x / sqrt(reshape(sum(x * x, axis=1) / columns, (rows, 1)) + epsilon) * gain
for make in (make_rms_norm(f32, 2), rms_norm_for(rows, columns)):
  assert allclose(make(x, gain), expected, atol=1e-5)
assert allclose(make_rms_norm(bf16)(x.astype(bf16), gain.astype(bf16)).astype(f32), expected, atol=5e-2, rtol=2e-2)
print("rms_norm: the result is right")
