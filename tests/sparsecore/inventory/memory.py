# Copies, gathers and scatters between memories, shared memory, barriers, semaphores, loops of both kinds of subcores.
# tests/sparsecore/inventory.py runs this file, see vectors.py.

def shuffled(n):
  return ((arange(n, dtype=i32) * 5 + 3) % n).astype(i32)

hbm = BlockSpec(memory_space=HBM)
vmem = BlockSpec(memory_space=VMEM)
one_core = VectorSubcoreMesh("core", "subcore", num_cores=1)
scalar = ScalarSubcoreMesh("core", num_cores=1)
masks = [lambda x: x < 4, lambda x: x >= 4, lambda x: x % 2 == 0]

# inventory: SC scalar_subcore_mesh, vector_subcore_mesh
def test_meshes():
  m = ScalarSubcoreMesh("x", num_cores=2)
  v = VectorSubcoreMesh("x", "y", num_cores=2, num_subcores=1)
  assert m.num_cores == 2 and v.num_cores == 2 and v.num_subcores == 1

# inventory: SC subbyte_kernel_compilation
def test_subbyte():
  for dtype in (i4, u4):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh())
    def kernel(x: GMEM((8, 128), dtype), o: Out((8, 128), dtype)):
      pass
    assert "8x128xi4" in ir(kernel).text

# inventory: SC vector_subcore/2, scalar_subcore/2
def test_prints():
  for dtype in (i32, f32):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((lanes,), dtype), o: Out((lanes,), dtype)):
      debug_print("Memref", x)
      v = x[...] + 100
      debug_print("Vector value", v)
      debug_print("Masks", v < 103)
      debug_print("Single int", 1234552)
      debug_print("Single float", 12344.625)
      debug_print("No values")
      o[...] = v
    printed = run(kernel, arange(lanes, dtype=dtype)).printed
    for word in ("Memref", "Vector value", "Masks", "1, 1, 1, 0", "Single int", "1234552", "Single float", "12344.625", "No values"):
      assert word in printed, printed
    if dtype == i32:
      assert "100, 101, 102, 103" in printed
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=ScalarSubcoreMesh("x", num_cores=2))
  def on_scalar(a: GMEM((32, lanes), i32), b: GMEM((16, 2 * lanes), i16), c: GMEM((8, 4 * lanes), i8), o: Out((32, lanes), i32)):
    with run_scoped(VMEM_SHARED((32, lanes), i32), SemaphoreType.DMA) as (tile, sem):
      if axis_index("x") == 0:
        async_copy(a, tile, sem).wait()
        async_copy(tile, o, sem).wait()
        debug_print("s32 array", tile)
        debug_print("s16 array", b)
        debug_print("s8 array", c)
        debug_print("Single int", 1234552)
        debug_print("No values")
  a = reshape(arange(32 * lanes, dtype=i32), (32, lanes))
  result = run(on_scalar, a, reshape(arange(32 * lanes, dtype=i32), (16, 2 * lanes)).astype(i16), zeros((8, 4 * lanes), i8))
  assert max_error(result.outputs[0], a) == 0
  for word in ("s32 array", "s16 array", "s8 array", "Single int", "1234552", "No values"):
    assert word in result.printed

# inventory: SC subcore_parallel_logging
def test_subcore_parallel_logging():
  for n in (1, 2, 4):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh("core", "subcore", num_cores=1, num_subcores=n))
    def kernel(x: GMEM((n, lanes), i32), o: Out((n, lanes), i32)):
      debug_print("Executing subcore")
    printed = run(kernel, zeros((n, lanes), i32)).printed
    assert printed.count("Executing subcore") == n

# inventory: SC scatter_major, scatter_1d_array, scatter_1d_array_from_transformed_src
def test_scatters():
  for shape in ((lanes,), (2 * lanes,), (8, 8), (16, 8), (8, 16, 8)):
    n = shape[0]
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, out_specs=hbm)
    def kernel(x: GMEM(shape, i32), indices: GMEM((n,), i32), o: Out(shape, i32)):
      with run_scoped(SemaphoreType.DMA) as sem:
        async_copy(x, o.at[indices], sem).wait()
    count = 1
    for size in shape:
      count = count * size
    x = reshape(arange(count, dtype=i32), shape)
    indices = ((arange(n, dtype=i32) * 5 + 3) % n).astype(i32)
    o = kernel(x, indices)
    for i in range(n):
      assert max_error(o[int(indices[i])], x[i]) == 0
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, out_specs=hbm)
  def by_vector(x: GMEM((2, lanes), i32), indices: GMEM((lanes,), i32), o: Out((lanes,), i32)):
    sync_copy(x.at[1], o.at[indices[...]])
  x = reshape(arange(2 * lanes, dtype=i32), (2, lanes))
  indices = shuffled(lanes)
  o = by_vector(x, indices)
  for i in range(lanes):
    assert o[int(indices[i])] == x[1, i]

# inventory: SC gather_1d, gather_1d_to_transformed_dst, large_gather_1d, gather_1d_with_indexed_ref
def test_gathers():
  for n in (lanes, 1024):
    x = arange(n, dtype=i32) * 3
    indices = shuffled(n)
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[hbm, vmem])
    def by_reference(x: GMEM((n,), i32), indices: GMEM((n,), i32), o: Out((n,), i32), rows: Out((2, n), i32)):
      sync_copy(x.at[indices], o)
      sync_copy(x.at[indices], rows.at[0])
    o, rows = by_reference(x, indices)
    assert max_error(o, indices * 3) == 0 and max_error(rows[0], indices * 3) == 0
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[hbm, vmem])
  def by_vector(x: GMEM((lanes,), i32), indices: GMEM((lanes,), i32), o: Out((lanes,), i32), half: Out((lanes // 2,), i32)):
    sync_copy(x.at[indices[...]], o)
    sync_copy(x.at[indices.at[:lanes // 2]], half)
  o, half = by_vector(arange(lanes, dtype=i32) * 3, shuffled(lanes))
  assert max_error(o, shuffled(lanes) * 3) == 0 and max_error(half, shuffled(lanes)[:lanes // 2] * 3) == 0

# inventory: SC gather_1d_with_filter
def test_gather_with_filter():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[hbm, vmem])
  def kernel(x: GMEM((lanes,), i32), indices: GMEM((lanes,), i32), o: Out((lanes,), i32)):
    o[...] = zeros((lanes,), i32) - 1
    with run_scoped(SemaphoreType.DMA) as sem:
      async_copy(x.at[indices], o, sem, ignored_value=4).wait()
  indices = shuffled(lanes)
  o = kernel(arange(lanes, dtype=i32) * 3, indices)
  for i in range(lanes):
    assert o[i] == (-1 if indices[i] == 4 else 3 * indices[i])

# Row numbers that mark the rows to skip; a loop that is called with its body; a named part of memory.
def test_rows_loops_and_parts_of_their_own():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[hbm, vmem])
  def kernel(x: GMEM((lanes,), i32), indices: GMEM((lanes,), i32), o: Out((2, lanes), i32)):
    first, second = named_view(o.at[0], "first"), named_view(o.at[1], "second")
    first[...] = zeros((lanes,), i32) - 1
    sync_copy(x.at[Indices(indices, ignored_value=4)], first)
    second[...] = loop(2, 10, 3, carry=first[...])(lambda i, total: total + i)
  indices = shuffled(lanes)
  o = kernel(arange(lanes, dtype=i32) * 3, indices)
  for i in range(lanes):
    wanted = -1 if indices[i] == 4 else 3 * indices[i]
    assert o[0, i] == wanted and o[1, i] == wanted + 2 + 5 + 8

# Lanes chosen by a vector of numbers, by one number, and by the host's numbers that are no iota.
def test_lanes_by_numbers():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((lanes,), i32), at: GMEM((lanes,), i32), o: Out((4, lanes), i32)):
    o[0] = x[...][at[...]]
    o[1] = x[...][at[...] - lanes]
    o[2] = x[...] * 0 + x[...][at[...][2]]
    o[3] = x[...] * arange(lanes, dtype=i32)[::-1] + x[...].view(i32)
  x, at = arange(lanes, dtype=i32) * 7, shuffled(lanes)
  o = kernel(x, at)
  assert max_error(o[0], at * 7) == 0 and max_error(o[1], at * 7) == 0 and max_error(o[2], zeros((lanes,), i32) + at[2] * 7) == 0
  assert max_error(o[3], x * arange(lanes, dtype=i32)[::-1] + x) == 0

# inventory: SC gather_1d_with_indexing, gather_2d_with_indexing, gather_1d_with_dynamically_sized_ref, gather_1d_with_dynamically_sized_2d_ref
def test_gathers_of_parts():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[hbm, hbm, vmem, vmem, vmem], grid=(1,))
  def kernel(x: GMEM((4, 4, lanes), i32), y: GMEM((4, 16, 128), i32), a: GMEM((lanes,), i32), b: GMEM((8,), i32), c: GMEM((2, 16), i32), o: Out((lanes,), i32), p: Out((8, 128), i32), q: Out((8,), i32)):
    sync_copy(x.at[1, 2].at[a], o)
    sync_copy(y.at[1, ds(8, 8), :].at[b], p)
    n = program_id(0) + 8
    sync_copy(x.at[0, 0].at[c.at[program_id(0), ds(0, n)]], q.at[ds(0, n)])
  x = reshape(arange(16 * lanes, dtype=i32), (4, 4, lanes))
  y = reshape(arange(4 * 16 * 128, dtype=i32), (4, 16, 128))
  a = shuffled(lanes)
  b = shuffled(8)
  c = reshape(arange(32, dtype=i32) % 8, (2, 16))
  o, p, q = kernel(x, y, a, b, c)
  for i in range(lanes):
    assert o[i] == x[1, 2, int(a[i])]
  for i in range(8):
    assert max_error(p[i], y[1, 8 + int(b[i])]) == 0 and q[i] == i

# inventory: SC gather_2d_with_col_slice
def test_gather_of_columns():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[hbm, vmem])
  def kernel(x: GMEM((lanes, 4096), i32), indices: GMEM((lanes,), i32), o: Out((lanes, 1024), i32)):
    sync_copy(x.at[indices, ds(128, 1024)], o)
  x = reshape(arange(lanes * 4096, dtype=i32), (lanes, 4096))
  indices = shuffled(lanes)
  o = kernel(x, indices)
  for i in range(lanes):
    assert max_error(o[i], x[int(indices[i]), 128:1152]) == 0

# inventory: SC host_to_hbm_dma, hbm_to_host_dma
def test_host_memory():
  host = BlockSpec(memory_space=HOST)
  for source, target in ((host, hbm), (hbm, host)):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, core="scalar", in_specs=source, out_specs=target)
    def kernel(x: GMEM((8, 128), i32), o: Out((8, 128), i32)):
      sync_copy(x, o)
    x = reshape(arange(8 * 128, dtype=i32), (8, 128))
    assert max_error(kernel(x), x) == 0

# inventory: SC load_gather_1d, load_gather_2d, load_gather_with_indexing, load_gather_masked
def test_load_gather():
  for mask in masks:
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((lanes, lanes), i32), indices: GMEM((lanes,), i32), rows: Out((4, lanes), i32), diagonal: Out((lanes,), i32), part: Out((lanes,), i32)):
      places = indices[...]
      for i in static_range(4):
        rows[i] = load_gather(x.at[i], [places])
      diagonal[...] = load_gather(x, [places, places])
      m = mask(broadcasted_iota(i32, (lanes,), 0))
      part[...] = select(m, load_gather(x.at[0], [places], mask=m), 0)
    x = reshape(arange(lanes * lanes, dtype=i32), (lanes, lanes))
    indices = shuffled(lanes)
    rows, diagonal, part = kernel(x, indices)
    for i in range(lanes):
      at = int(indices[i])
      assert diagonal[i] == x[at, at] and rows[3, i] == x[3, at]
      assert part[i] == (x[0, at] if mask(i) else 0)

# inventory: SC store_scatter, store_scatter_masked, store_scatter_2d, addupdate_scatter
def test_store_scatter():
  for mask in masks:
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((lanes,), i32), indices: GMEM((lanes,), i32), o: Out((4, lanes), i32), p: Out((lanes,), i32), q: Out((lanes,), i32)):
      v = x[...]
      places = indices[...]
      for i in static_range(4):
        o[i] = zeros((lanes,), i32)
        store_scatter(o, [zeros((lanes,), i32) + i, places], v + i)
      p[...] = zeros((lanes,), i32)
      store_scatter(p, [places], v, mask=mask(v))
      q[...] = ones((lanes,), i32)
      addupdate_scatter(q, [places // 2], v, mask=mask(v))
    x = arange(lanes, dtype=i32)
    indices = shuffled(lanes)
    o, p, q = kernel(x, indices)
    sums = [1 for i in range(lanes)]
    for i in range(lanes):
      at = int(indices[i])
      assert o[2, at] == i + 2 and p[at] == (i if mask(i) else 0)
      if mask(i):
        sums[at // 2] = sums[at // 2] + i
    for i in range(lanes):
      assert q[i] == sums[i]

# inventory: SC addupdate_scatter_core_memory_space
def test_memory_of_the_meshs_subcores():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=one_core, scratch=[VMEM((lanes,), i32) @ one_core])
  def kernel(o: Out((lanes,), i32), tile):
    if axis_index("subcore") == 0:
      tile[...] = zeros((lanes,), i32)
      addupdate_scatter(tile, [arange(lanes)], ones((lanes,), i32))
      sync_copy(tile, o)
  assert max_error(kernel(), ones((lanes,), i32)) == 0

# inventory: SC load_expanded, store_compressed, addupdate, addupdate_compressed, write_to_transformed_ref, load_transformed_ref
def test_masked_access():
  for mask in masks:
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((2 * lanes,), i32), a: Out((lanes,), i32), b: Out((2 * lanes,), i32), c: Out((lanes,), i32), d: Out((lanes,), i32)):
      m = mask(broadcasted_iota(i32, (lanes,), 0))
      a[...] = select(m, load_expanded(x.at[ds(2, lanes)], mask=m), 0)
      b[ds(0, lanes)] = zeros((lanes,), i32)
      b[ds(lanes, lanes)] = zeros((lanes,), i32)
      store_compressed(b.at[ds(5, lanes)], x[ds(2, lanes)], mask=m)
      c[...] = zeros((lanes,), i32)
      d[...] = zeros((lanes,), i32)
      for i in static_range(8):
        addupdate(c, i)
        addupdate_compressed(d.at[...], i, mask=m)
    x = arange(2 * lanes, dtype=i32)
    a, b, c, d = kernel(x)
    before = 0
    for i in range(lanes):
      assert a[i] == (before + 2 if mask(i) else 0) and c[i] == 28
      if mask(i):
        assert b[5 + before] == i + 2 and d[before] == 28
        before = before + 1
    assert before == lanes or d[before] == 0

# inventory: SC fetch_and_add
def test_fetch_and_add():
  n = 16
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=one_core, scratch=[VMEM((lanes,), i32), VMEM((lanes,), i32), SMEM((1,), i32)])
  def kernel(old: Out((n * lanes,), i32), new: Out((n * lanes,), i32), a, b, count):
    me = axis_index("subcore")
    count[0] = me
    subcore_barrier()
    before = fetch_and_add(count.at[0], 10, (me + 1) % n)
    subcore_barrier()
    a[...] = broadcast_in_dim(before, (lanes,), ())
    b[...] = broadcast_in_dim(count[0], (lanes,), ())
    sync_copy(a, old.at[ds(me * lanes, lanes)])
    sync_copy(b, new.at[ds(me * lanes, lanes)])
  old, new = kernel()
  for i in range(n):
    assert old[i * lanes] == (i + 1) % n and new[i * lanes] == i + 10

# inventory: SC run_scoped, empty_ref
def test_run_scoped():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, out_specs=[hbm, vmem])
  def kernel(x: GMEM((lanes,), i32), o: Out((lanes,), i32), p: Out((lanes,), f32)):
    sync_copy(x, o)
    with run_scoped(VMEM((lanes,), f32), SMEM((1,), f32)) as (tile, one):
      tile[...] = ones((lanes,), f32)
      one[0] = 1.0
      p[...] = tile[...] * 3 + one[0]
  x = arange(lanes, dtype=i32)
  o, p = kernel(x)
  assert max_error(o, x) == 0 and allclose(p, 4 * ones((lanes,), f32))

# inventory: SC subcore_parallel, 2d_vmem_row_write
def test_subcore_parallel():
  for n in (1, 2, 16):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh("core", "subcore", num_cores=1, num_subcores=n), scratch=[VMEM((4, lanes), i32)])
    def kernel(x: GMEM((n, lanes), i32), o: Out((n, lanes), i32), p: Out((n, 4, lanes), i32), tile):
      i = axis_index("subcore")
      sync_copy(x.at[i], o.at[i])
      for k in static_range(4):
        tile[k, :] = broadcasted_iota(i32, (lanes,), 0) + k
      sync_copy(tile, p.at[i])
    x = reshape(arange(n * lanes, dtype=i32), (n, lanes))
    o, p = kernel(x)
    assert max_error(o, x) == 0 and allclose(p[0, 3], arange(lanes, dtype=i32) + 3)

# inventory: SC tiled_dma_hbm_vmem_shared, barrier, shared_scratch
def test_shared_memory():
  for pad in (128, 256):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=one_core, scratch=[VMEM((pad,), i32)])
    def kernel(x: GMEM((16, pad), i32), o: Out((16, pad), i32), tile):
      shared = get_global(VMEM_SHARED((16, pad), i32))
      i = axis_index("subcore")
      if i == 0:
        sync_copy(x, shared)
      subcore_barrier()
      sync_copy(shared.at[i], tile)
      for j in parallel_loop(0, 2 * lanes, lanes):
        tile[ds(j, lanes)] += 1
      sync_copy(tile, shared.at[i])
      subcore_barrier()
      if i == 0:
        sync_copy(shared, o)
    x = reshape(arange(16 * pad, dtype=i32), (16, pad))
    o = kernel(x)
    assert max_error(o[:, :2 * lanes], x[:, :2 * lanes] + 1) == 0
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=one_core, scratch=[VMEM((lanes,), i32)])
  def next_one(o: Out((2, 16, lanes), i32), tile):
    i = axis_index("subcore")
    for k in range(0, 2 * i + 1):
      tile[...] = broadcast_in_dim(k, (lanes,), ())
      sync_copy(tile, o.at[0, i])
    subcore_barrier()
    sync_copy(o.at[0, (i + 1) % 16], tile)
    sync_copy(tile, o.at[1, i])
  o = next_one()
  for i in range(16):
    assert o[1, i, 0] == 2 * ((i + 1) % 16)

# inventory: SC smem_vmem_store_literals
def test_smem_vmem_store_literals():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=one_core, scratch=[SMEM((1,), f32), VMEM((lanes,), f32)])
  def kernel(x: GMEM((16, lanes), f32), o: Out((16, lanes), f32), one, tile):
    i = axis_index("subcore")
    one[0] = 7.0
    sync_copy(x.at[i], tile)
    tile[...] = select(broadcast_in_dim(i < 3, (lanes,), ()), one[0], tile[...])
    sync_copy(tile, o.at[i])
  x = reshape(arange(16 * lanes, dtype=f32), (16, lanes))
  o = kernel(x)
  for i in range(16):
    assert max_error(o[i], zeros((lanes,), f32) + 7 if i < 3 else x[i]) == 0

# inventory: SC effect_discharge, parallel_loop_effects
def test_effects():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=one_core, scratch=[VMEM((lanes,), i32)])
  def kernel(x: GMEM((16, lanes), i32), o: Out((16, lanes), i32), tile):
    i = axis_index("subcore")
    sync_copy(x.at[i], tile)
    tile[...] = tile[...] + 1
    debug_print("test", tile[...])
    subcore_barrier()
    sync_copy(tile, o.at[i])
  x = reshape(arange(16 * lanes, dtype=i32), (16, lanes))
  assert max_error(kernel(x), x + 1) == 0
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=one_core, scratch=[VMEM((lanes,), u32), VMEM((lanes,), u32), VMEM((lanes,), u32)])
  def loops(a, b, c):
    a[...] = ones((lanes,), u32)
    b[...] = ones((lanes,), u32)
    c[...] = ones((lanes,), u32)
    for i in range(4):
      for _ in parallel_loop(0, lanes):
        store_compressed(c.at[...], b[...], mask=shift_right_logical(a[...], i.astype(u32)) > 0)
  run(loops)

# inventory: SC gather_add, scatter_add
def test_adding_copies():
  for dtype in (i32, f32):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=one_core, scratch=[VMEM((8,), i32), VMEM((8, 32), dtype), VMEM((32,), i32), VMEM((32,), dtype), SemaphoreType.DMA])
    def kernel(x: GMEM((16, 64, 32), dtype), indices: GMEM((16, 8), i32), spread: GMEM((32,), i32), o: Out((16, 8, 32), dtype), p: Out((32,), dtype), rows, tile, places, line, sem):
      i = axis_index("subcore")
      sync_copy(indices.at[i], rows)
      sync_copy(x.at[i, ds(0, 8)], tile)
      async_copy(x.at[i].at[rows], tile, sem, add=True).wait()
      sync_copy(tile, o.at[i])
      shared = get_global(VMEM_SHARED((32,), dtype))
      sync_copy(spread, places)
      sync_copy(x.at[i, 0], line)
      if i == 0:
        sync_copy(line, shared)
      subcore_barrier()
      async_copy(line, shared.at[places], sem, add=True).wait()
      subcore_barrier()
      if i == 0:
        sync_copy(shared, p)
    x = reshape((arange(16 * 64 * 32, dtype=i32) % 97).astype(dtype), (16, 64, 32))
    indices = reshape(arange(128, dtype=i32) * 7 % 64, (16, 8))
    o, p = kernel(x, indices, 31 - arange(32, dtype=i32))
    for i in range(16):
      for k in range(8):
        assert max_error(o[i, k], x[i, k] + x[i, int(indices[i, k])]) == 0
    total = sum(x[:, 0], axis=0)
    for k in range(32):
      assert p[k] == x[0, 0, k] + total[31 - k]

def test_large_scratch():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh("core", "subcore", num_cores=1, num_subcores=1), scratch=[VMEM((1024, 16), i32)])
  def kernel(x: GMEM((1024, 16), i32), o: Out((1024, 16), i32), tile):
    sync_copy(x, tile)
    sync_copy(tile, o)
  x = reshape(arange(1024 * 16, dtype=i32), (1024, 16))
  assert max_error(kernel(x), x) == 0

# inventory: SC copy, sliced_copy, dma_memory_space
def test_scalar_copies():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=ScalarSubcoreMesh("core", num_cores=2), scratch=[SemaphoreType.DMA((4,)), SemaphoreType.DMA])
  def kernel(x: GMEM((2, lanes), i32), y: GMEM((lanes,), i32), o: Out((2, lanes), i32), p: Out((lanes,), i32), sems, sem):
    i = axis_index("core")
    async_copy(x.at[i], o.at[i], sems.at[i]).wait()
    if i == axis_size("core") - 1:
      async_copy(y, p, sem).wait()
  x = reshape(arange(2 * lanes, dtype=i32), (2, lanes))
  o, p = kernel(x, x[1])
  assert max_error(o, x) == 0 and max_error(p, x[1]) == 0

# inventory: SC scalar_load_store, parallel_loop, parallel_loop_with_carry/2
def test_scalar_loops():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=scalar, scratch=[SMEM((lanes,), i32), SemaphoreType.DMA])
  def kernel(x: GMEM((lanes,), i32), o: Out((lanes,), i32), tile, sem):
    async_copy(x, tile, sem).wait()
    for i in range(1, lanes):
      tile[i] += tile[i - 1]
    async_copy(tile, o, sem).wait()
  x = arange(lanes, dtype=i32)
  o = kernel(x)
  for i in range(lanes):
    assert o[i] == i * (i + 1) // 2
  for outer in (False, True):
    for inner in (False, True):
      @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=scalar, scratch=[SMEM((8, 8), i32), SemaphoreType.DMA])
      def nested(x: GMEM((8, 8), i32), o: Out((8, 8), i32), tile, sem):
        async_copy(x, tile, sem).wait()
        for i in (parallel_loop(0, 8) if outer else loop(0, 8)):
          for j in (parallel_loop(0, 8, unroll=8) if inner else loop(0, 8)):
            tile[i, j] += 1
        async_copy(tile, o, sem).wait()
      x = reshape(arange(64, dtype=i32), (8, 8))
      assert max_error(nested(x), x + 1) == 0
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=scalar, scratch=[SMEM((8, 8), i32), SemaphoreType.DMA])
  def carried(x: GMEM((8, 8), i32), o: Out((8, 8), i32), tile, sem):
    async_copy(x, tile, sem).wait()
    step = 0
    for i in parallel_loop(0, 8):
      step = step + 1
      for j in parallel_loop(0, 8, unroll=2):
        tile[i, j] += step
    async_copy(tile, o, sem).wait()
  x = reshape(arange(64, dtype=i32), (8, 8))
  o = carried(x)
  for i in range(8):
    assert max_error(o[i], x[i] + i + 1) == 0

# inventory: SC manual
def test_manual_pipeline():
  steps = 8
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh("core", "subcore", num_cores=2), scratch=[VMEM((3, 128), i32), VMEM((3, 128), i32), SemaphoreType.DMA((2, 3)), SemaphoreType.DMA((2, 3))])
  def kernel(x: GMEM((32, 128 * steps), i32), o: Out((32, 128 * steps), i32), ins, outs, in_sem, out_sem):
    core = axis_index("core")
    row = core * 16 + axis_index("subcore")
    def copy_in(step, slot):
      return make_async_copy(x.at[row, ds(step * 128, 128)], ins.at[slot], in_sem.at[core, slot])
    def copy_out(step, slot):
      return make_async_copy(outs.at[slot], o.at[row, ds(step * 128, 128)], out_sem.at[core, slot])
    for i in static_range(3):
      copy_in(i, i).start()
    for i in range(steps):
      slot = rem(i, 3)
      copy_in(i, slot).wait()
      if i >= 3:
        copy_out(i - 3, slot).wait()
      for c in range(0, 128, lanes):
        outs[slot, ds(c, lanes)] = ins[slot, ds(c, lanes)] + 1
      copy_out(i, slot).start()
      if i + 3 < steps:
        copy_in(i + 3, slot).start()
    for i in static_range(3):
      copy_out(steps - 3 + i, (steps - 3 + i) % 3).wait()
  x = reshape(arange(32 * 128 * steps, dtype=i32), (32, 128 * steps))
  assert max_error(kernel(x), x + 1) == 0

# inventory: SC opt_levels (there is one)
def test_copy_of_a_vector():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((lanes,), i32), o: Out((lanes,), i32)):
    o[...] = x[...]
  assert max_error(kernel(arange(lanes, dtype=i32)), arange(lanes, dtype=i32)) == 0

test_meshes()
test_subbyte()
test_prints()
test_subcore_parallel_logging()
test_scatters()
test_gathers()
test_gather_with_filter()
test_rows_loops_and_parts_of_their_own()
test_lanes_by_numbers()
test_gathers_of_parts()
test_gather_of_columns()
test_host_memory()
test_load_gather()
test_store_scatter()
test_memory_of_the_meshs_subcores()
test_masked_access()
test_fetch_and_add()
test_run_scoped()
test_subcore_parallel()
test_shared_memory()
test_smem_vmem_store_literals()
test_effects()
test_adding_copies()
test_large_scratch()
test_scalar_copies()
test_scalar_loops()
test_manual_pipeline()
test_copy_of_a_vector()
