# A pipeline of gathers: while a subcore works on some rows, the next ones come.   lanescope run samples/sparsecore/gather_pipeline.py
#
# The index map of the first spec names single rows by numbers that are already in VMEM. The subcores share the steps.

ROWS, WIDTH, COUNT, STEP = 128, 32, 512, 16

@sc_kernel(mesh=VectorSubcoreMesh("core", "subcore", num_cores=1), chip="7x", scratch=[VMEM((COUNT // STEP, STEP), i32)])
def scaled_rows(table: GMEM((ROWS, WIDTH), f32), numbers: GMEM((COUNT // STEP, STEP), i32), out: Out((COUNT, WIDTH), f32),
                rows):
  sync_copy(numbers, rows)

  def double(block, result):
    for i in parallel_loop(0, STEP):
      for column in static_range(0, WIDTH, num_lanes()):
        result[i, ds(column, num_lanes())] = block[i, ds(column, num_lanes())] * 2

  pipeline = emit_pipeline(double, grid=(COUNT // STEP,),
                           in_specs=[BlockSpec((STEP, WIDTH), lambda i: (rows.at[i], 0))],
                           out_specs=[BlockSpec((STEP, WIDTH), lambda i: (i, 0))], core_axis_name="subcore")
  pipeline(table, out)

table = random((ROWS, WIDTH), f32, seed=0)
numbers = reshape(arange(COUNT, dtype=i32) * 29 % ROWS, (COUNT // STEP, STEP)).astype(i32)
result = run(scaled_rows, table, numbers, profile=True)
for i in range(0, COUNT, 7):
  assert max_error(result.outputs[0][i], table[int(numbers[i // STEP, i % STEP])] * 2) == 0
print(result)
