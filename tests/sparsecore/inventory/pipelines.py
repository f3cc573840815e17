# Pipelines over a grid inside a SparseCore kernel. tests/sparsecore/inventory.py runs this file, see vectors.py.

hbm = BlockSpec(memory_space=HBM)

# inventory: SC basic, explicit_sc_tiling_1d
def test_basic():
  for steps, block in ((16, (None, lanes)), (8, (2, lanes))):
    rows = steps * (1 if block[0] is None else block[0])
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=hbm, out_specs=hbm)
    def kernel(x: GMEM((rows, lanes), i32), o: Out((rows, lanes), i32)):
      def body(a, b):
        b[...] = a[...] + 1
      spec = BlockSpec(block, lambda i: (i, 0))
      emit_pipeline(body, grid=(steps,), in_specs=spec, out_specs=spec)(x, o)
    x = reshape(arange(rows * lanes, dtype=i32), (rows, lanes))
    assert max_error(kernel(x), x + 1) == 0
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=hbm, out_specs=hbm)
  def flat(x: GMEM((4 * lanes,), i32), o: Out((4 * lanes,), i32)):
    def body(a, b):
      b[...] = a[...] + 1
    spec = BlockSpec((lanes,), lambda i: (i,))
    emit_pipeline(body, grid=(4,), in_specs=spec, out_specs=spec)(x, o)
  x = arange(4 * lanes, dtype=i32)
  assert max_error(flat(x), x + 1) == 0

# inventory: SC explicit_sc_tiling_2d
def test_blocks_of_two_dimensions():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=hbm, out_specs=hbm)
  def kernel(x: GMEM((16, 8, 128), i32), o: Out((16, 8, 128), i32)):
    def body(a, b):
      for i in range(8):
        for j in range(0, 128, lanes):
          b[i, ds(j, lanes)] = a[i, ds(j, lanes)] + 1
    spec = BlockSpec((None, 8, 128), lambda i: (i, 0, 0))
    emit_pipeline(body, grid=(16,), in_specs=[spec], out_specs=[spec])(x, o)
  x = reshape(arange(16 * 8 * 128, dtype=i32), (16, 8, 128))
  assert max_error(kernel(x), x + 1) == 0

# inventory: SC gather_with_emit
def test_gather_with_emit():
  mesh = VectorSubcoreMesh("core", "subcore", num_cores=1, num_subcores=2)
  count = 8 * 2 * 4
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=mesh)
  def kernel(x: GMEM((32, 128), i32), indices: GMEM((1, count), i32), o: Out((count, 128), i32)):
    def body(rows, out):
      sync_copy(x.at[rows.at[0]], out)
    emit_pipeline(body, grid=(count // 8,), in_specs=[BlockSpec((1, 8), lambda i: (0, i))],
                  out_specs=[BlockSpec((8, 128), lambda i: (i, 0))], core_axis_name="subcore")(indices, o)
  x = reshape(arange(32 * 128, dtype=i32), (32, 128))
  indices = reshape(arange(count, dtype=i32) * 7 % 32, (1, count)).astype(i32)
  o = kernel(x, indices)
  for i in range(count):
    assert max_error(o[i], x[int(indices[0, i])]) == 0

# inventory: SC gather_via_indirect
def test_gather_via_indirect():
  for by_vector in (False, True):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh("core", "subcore", num_cores=1, num_subcores=1), scratch=[VMEM((4, lanes), i32)])
    def kernel(x: GMEM((32, lanes), i32), indices: GMEM((4, lanes), i32), o: Out((4, lanes, lanes), i32), rows):
      sync_copy(indices, rows)
      def body(a, b):
        for j in range(lanes):
          b[j] = a[j]
      emit_pipeline(body, grid=(4,), in_specs=[BlockSpec((lanes, lanes), lambda i: (rows[i] if by_vector else rows.at[i], 0))],
                    out_specs=[BlockSpec((None, lanes, lanes), lambda i: (i, 0, 0))])(x, o)
    x = reshape(arange(32 * lanes, dtype=i32), (32, lanes))
    indices = reshape(arange(4 * lanes, dtype=i32) * 5 % 32, (4, lanes)).astype(i32)
    o = kernel(x, indices)
    for s in range(4):
      for j in range(lanes):
        assert max_error(o[s, j], x[int(indices[s, j])]) == 0

test_basic()
test_blocks_of_two_dimensions()
test_gather_with_emit()
test_gather_via_indirect()
