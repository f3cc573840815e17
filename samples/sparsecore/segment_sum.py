# Sums of sorted segments: row i is added to row `segments[i]` of the result.   lanescope run samples/sparsecore/segment_sum.py
#
# Each subcore of a core takes some rows and adds them, with one adding copy, to memory that the core's subcores share.
# The copy's offsets are the segments. Barriers separate clearing, adding and copying out.

ROWS, WIDTH, SEGMENTS = 256, 32, 48
SHARE = ROWS // 16

@sc_kernel(mesh=VectorSubcoreMesh("core", "subcore", num_cores=1), chip="7x",
           scratch=[VMEM((SHARE,), i32), VMEM((SHARE, WIDTH), f32), VMEM((SEGMENTS // 16, WIDTH), f32), SemaphoreType.DMA])
def segment_sum(x: GMEM((ROWS, WIDTH), f32), segments: GMEM((ROWS,), i32), out: Out((SEGMENTS, WIDTH), f32),
                numbers, rows, part, sem):
  sums = get_global(VMEM_SHARED((SEGMENTS, WIDTH), f32))
  me = axis_index("subcore")
  mine = ds(me * (SEGMENTS // 16), SEGMENTS // 16)
  with region("clear"):
    for i in static_range(SEGMENTS // 16):
      for column in static_range(0, WIDTH, num_lanes()):
        part[i, ds(column, num_lanes())] = zeros((num_lanes(),), f32)
    sync_copy(part, sums.at[mine])
    subcore_barrier()
  with region("add"):
    sync_copy(segments.at[ds(me * SHARE, SHARE)], numbers)
    sync_copy(x.at[ds(me * SHARE, SHARE)], rows)
    async_copy(rows, sums.at[numbers], sem, add=True).wait()
    subcore_barrier()
  with region("store"):
    sync_copy(sums.at[mine], part)
    sync_copy(part, out.at[mine])

x = (reshape(arange(ROWS * WIDTH, dtype=i32), (ROWS, WIDTH)) % 19).astype(f32)
segments = arange(ROWS, dtype=i32) * SEGMENTS // ROWS
result = run(segment_sum, x, segments.astype(i32), profile=True)
for s in range(0, SEGMENTS, 5):
  expected = zeros((WIDTH,), f32)
  for i in range(ROWS):
    if segments[i] == s:
      expected = expected + x[i]
  assert max_error(result.outputs[0][s], expected) == 0
print(result)
