# An embedding lookup with pooling: each bag is the sum of some rows of a table.   lanescope run samples/sparsecore/embedding.py
#
# The vector subcores of both SparseCores share the bags. For each chunk of bags a subcore gathers the rows by their numbers,
# one copy for all of them, and adds up each bag's rows vector by vector.

ROWS, WIDTH, BAGS, PER_BAG = 512, 64, 256, 4
CHUNK = 4 # bags at a time
SHARE = BAGS // 32 # bags of one subcore

@sc_kernel(mesh=VectorSubcoreMesh("core", "subcore", num_cores=2), chip="7x",
           scratch=[VMEM((CHUNK * PER_BAG,), i32), VMEM((CHUNK * PER_BAG, WIDTH), f32), VMEM((CHUNK, WIDTH), f32),
                    SemaphoreType.DMA])
def embedding(table: GMEM((ROWS, WIDTH), f32), bags: GMEM((BAGS * PER_BAG,), i32), out: Out((BAGS, WIDTH), f32),
              numbers, rows, sums, sem):
  first = (axis_index("core") * axis_size("subcore") + axis_index("subcore")) * SHARE
  for chunk in range(0, SHARE, CHUNK):
    bag = first + chunk
    with region("gather"):
      sync_copy(bags.at[ds(bag * PER_BAG, CHUNK * PER_BAG)], numbers)
      async_copy(table.at[numbers], rows, sem).wait()
    with region("pool"):
      for i in parallel_loop(0, CHUNK):
        for column in static_range(0, WIDTH, num_lanes()):
          total = rows[i * PER_BAG, ds(column, num_lanes())]
          for k in static_range(1, PER_BAG):
            total = total + rows[i * PER_BAG + k, ds(column, num_lanes())]
          sums[i, ds(column, num_lanes())] = total
    sync_copy(sums, out.at[ds(bag, CHUNK)])

table = random((ROWS, WIDTH), f32, seed=0)
bags = (arange(BAGS * PER_BAG, dtype=i32) * 37 + 11) % ROWS
result = run(embedding, table, bags, profile=True)
pooled = result.outputs[0]
for bag in range(0, BAGS, 17):
  expected = table[int(bags[PER_BAG * bag])]
  for k in range(1, PER_BAG):
    expected = expected + table[int(bags[PER_BAG * bag + k])]
  assert allclose(pooled[bag], expected)
print(result)
