# Moves rows through a ring in shared memory by two single warps.   lanescope run samples/kernels/warps.py
#
# A warp is enough to start copies. The two warps share no barrier of the warpgroup, so each runs as far ahead as the
# ring allows. `full` signals that a row has arrived, `empty` that its place is free again.

rows, places = 24, 4

@kernel(scratch=[SMEM((places, 256), f32), Barrier(num_barriers=places), Barrier(num_barriers=places)])
def move(x: GMEM((rows, 256), f32), out: Out((rows, 256), f32), ring, full, empty):
  def each_warp():
    warp = axis_index("warp")
    if warp == 0:
      for row in range(rows):
        if row >= places:
          barrier_wait(empty.at[row % places])
        # A whole row is contiguous, so it needs no TMA descriptor.
        copy_gmem_to_smem(x.at[row], ring.at[row % places], full.at[row % places], oob_mode="promise_in_bounds")
    if warp == 1:
      for row in range(rows):
        barrier_wait(full.at[row % places])
        copy_smem_to_gmem(ring.at[row % places], out.at[row])
        wait_smem_to_gmem(0, wait_read_only=True)
        barrier_arrive(empty.at[row % places])
      wait_smem_to_gmem(0)
  with region("warps"):
    core_map(WarpMesh(axis_name="warp"))(each_warp)

x = random((rows, 256), f32, seed=0)
result = run(move, x, profile=True)
assert max_error(result.outputs[0], x) == 0
print(f"{rows} rows moved: {result.time_us:.1f} us, correct")
