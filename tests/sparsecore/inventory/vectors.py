# What a vector subcore computes, checked against arithmetic on the host. Run by tests/sparsecore/inventory.py for each chip, with
# `chip`, `lanes` and `tiled` set, and a second time with a TensorCore's tiling.

def shuffled(n):
  return ((arange(n, dtype=i32) * 5 + 3) % n).astype(i32)

masks = [lambda x: x < 4, lambda x: x >= 4, lambda x: x % 2 == 0]

# inventory: SC add_sub_one
def test_add_sub_one():
  for dtype in (i32, f32):
    for step in (1, -1):
      @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
      def kernel(x: GMEM((lanes,), dtype), o: Out((lanes,), dtype)):
        o[...] = x[...] + step
      x = arange(lanes, dtype=dtype)
      assert max_error(kernel(x), x + step) == 0

# inventory: SC add_one_block_specs
def test_add_one_block_specs():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, grid=(4,), in_specs=[BlockSpec((lanes,), lambda i: i)], out_specs=BlockSpec((lanes,), lambda i: i))
  def kernel(x: GMEM((4 * lanes,), i32), o: Out((4 * lanes,), i32)):
    o[...] = x[...] + 1
  x = arange(4 * lanes, dtype=i32)
  assert max_error(kernel(x), x + 1) == 0

# inventory: SC slicing (every dtype and part of a row, not drawn at random)
def test_slicing():
  for dtype, shape in ((i32, (8,)), (i32, (4, 8)), (u32, (16,)), (f32, (2, 8)), (i16, (16,)), (u16, (2, 8)), (f16, (32,)), (bf16, (4, 8)), (i8, (32,)), (u8, (4, 8))):
    for parts in (1, 2, 4):
      minor = shape[-1]
      @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
      def kernel(x: GMEM(shape[:-1] + (minor * parts,), dtype), o: Out(shape, dtype)):
        total = x[..., :minor]
        for i in static_range(1, parts):
          total = total + x[..., minor * i:minor * (i + 1)]
        o[...] = total
      whole = shape[:-1] + (minor * parts,)
      count = 1
      for n in whole:
        count = count * n
      x = reshape((arange(count, dtype=i32) % 16).astype(dtype), whole)
      expected = x[..., :minor]
      for i in range(1, parts):
        expected = expected + x[..., minor * i:minor * (i + 1)]
      assert max_error(kernel(x), expected) == 0

# inventory: SC odd_load_store
def test_odd_load_store():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def moved(x: GMEM((2 * lanes,), i32), o: Out((2 * lanes,), i32)):
    o[ds(0, lanes)] = zeros((lanes,), i32)
    o[ds(lanes, lanes)] = zeros((lanes,), i32)
    o[ds(5, lanes)] = x[ds(3, lanes)]
  x = arange(2 * lanes, dtype=i32)
  assert max_error(moved(x)[5:5 + lanes], x[3:3 + lanes]) == 0

# inventory: SC get_index, swap_index
def test_rows():
  for major in (2, 3, 4):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def total(x: GMEM((major, lanes), i32), o: Out((lanes,), i32)):
      o[...] = fori_loop(1, major, lambda i, acc: acc + x[i], x[0])
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def turned(x: GMEM((major, lanes), i32), o: Out((major, lanes), i32)):
      for i in range(major):
        o[major - 1 - i] = x[i]
    x = reshape(arange(major * lanes, dtype=i32), (major, lanes))
    assert max_error(total(x), sum(x, axis=0)) == 0
    y = turned(x)
    for i in range(major):
      assert max_error(y[i], x[major - 1 - i]) == 0

# inventory: SC get_multi_index
def test_get_multi_index():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((3, 4, lanes), i32), o: Out((lanes,), i32)):
    o[...] = zeros((lanes,), i32)
    for i in static_range(3):
      for j in static_range(4):
        o[...] += x.at[i][j]
  x = reshape(arange(12 * lanes, dtype=i32), (3, 4, lanes))
  assert max_error(kernel(x), sum(sum(x, axis=0), axis=0)) == 0

# inventory: SC block_spec_untiled_slicing (blocks of given shapes, not drawn at random)
def test_block_spec_untiled_slicing():
  for block, offsets in (((8,), (2,)), ((2, 8), (1, 0)), ((3, 16), (0, 4)), ((2, 1, 8), (1, 3, 2))):
    full = [block[d] * (offsets[d] + 2) for d in range(len(block))]
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[BlockSpec(block, lambda: offsets)])
    def kernel(x: GMEM(full, i32), o: Out(block, i32)):
      if len(block) == 1:
        o[...] = x[...]
      elif len(block) == 2:
        for i in range(block[0]):
          for j in range(block[1] // 8):
            o[i, ds(j * 8, 8)] = x[i, ds(j * 8, 8)]
      else:
        for i in range(block[0]):
          for j in range(block[1]):
            o[i, j] = x[i, j]
    count = 1
    for n in full:
      count = count * n
    x = reshape(arange(count, dtype=i32), full)
    expected = x
    if len(block) == 1:
      expected = x[offsets[0] * block[0]:(offsets[0] + 1) * block[0]]
    elif len(block) == 2:
      expected = x[offsets[0] * block[0]:(offsets[0] + 1) * block[0], offsets[1] * block[1]:(offsets[1] + 1) * block[1]]
    else:
      expected = x[offsets[0] * block[0]:(offsets[0] + 1) * block[0], offsets[1] * block[1]:(offsets[1] + 1) * block[1], offsets[2] * block[2]:(offsets[2] + 1) * block[2]]
    assert max_error(kernel(x), expected) == 0

# inventory: SC bitcast, lax_bitcast
def test_bitcast():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((8,), i32), a: Out((32,), i8), b: Out((16,), i16), c: Out((8,), f32), d: Out((8,), u32)):
    a[...] = bitcast(x[...], i8)
    b[...] = bitcast(x[...], i16)
    c[...] = bitcast(x[...], f32)
    d[...] = bitcast_convert_type(bitcast(x[...], f32), u32)
  x = arange(8, dtype=i32) * 16777217
  a, b, c, d = kernel(x)
  for i in range(8):
    for k in range(4):
      assert a[4 * i + k] == (i if k == 0 or k == 3 else 0)
    assert b[2 * i] == i and b[2 * i + 1] == i * 256
  assert max_error(d, x.astype(u32)) == 0

# inventory: SC load_from_bitcast, store_to_bitcast
def test_bitcast_of_references():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((1, lanes), f32), o: Out((1, lanes), i32), p: Out((1, lanes), f32)):
    o[0] = x.bitcast(i32)[0]
    p.bitcast(i32)[0] = x.bitcast(i32)[0]
  x = reshape(arange(lanes, dtype=f32), (1, lanes))
  o, p = kernel(x)
  assert max_error(p, x) == 0 and o[0, 1] == 1065353216

# inventory: SC pack_unpack
def test_pack_unpack():
  for form in (PackFormat.COMPRESSED, PackFormat.INTERLEAVED):
    for dtype in (f32, i32):
      @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
      def kernel(a: GMEM((lanes,), dtype), b: GMEM((lanes,), dtype), x: Out((lanes,), dtype), y: Out((lanes,), dtype)):
        p, q = unpack(pack(a[...], b[...], format=form), format=form)
        x[...] = p
        y[...] = q
      a = arange(lanes, dtype=dtype)
      b = a * -1
      x, y = kernel(a, b)
      assert max_error(x, a) == 0 and max_error(y, b) == 0

# inventory: SC iota
def test_iota():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((lanes,), i32), o: Out((lanes,), i32)):
    o[...] = broadcasted_iota(i32, (lanes,), 0) + x[...] + arange(lanes, dtype=i32)
  x = shuffled(lanes)
  assert max_error(kernel(x), x + 2 * arange(lanes, dtype=i32)) == 0

# inventory: SC scalar_load_emulated
def test_scalar_load_emulated():
  for i in (0, 4, lanes - 1):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((lanes,), i32), o: Out((lanes,), i32)):
      o[...] = broadcast_in_dim(x[...][i], (lanes,), ())
    assert max_error(kernel(arange(lanes, dtype=i32) * 3), zeros((lanes,), i32) + 3 * i) == 0

# inventory: SC split_concatenate
def test_split_concatenate():
  for sizes in ((1, 1), (2, 2), (1, 1, 1, 1)):
    rows = sum(sizes)
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((rows, lanes), i32), o: Out((rows, lanes), i32)):
      o[...] = concatenate(split(x[...], sizes, 0), 0)
    x = reshape(arange(rows * lanes, dtype=i32), (rows, lanes))
    assert max_error(kernel(x), x) == 0

# inventory: SC scratch, scratch_with_core_type (its own subcore's)
def test_scratch():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, scratch=[VMEM((lanes,), f32)])
  def kernel(x: GMEM((lanes,), i32), o: Out((lanes,), i32), tile):
    tile[...] = x[...].astype(f32)
    o[...] = tile[...].astype(i32)
  x = arange(lanes, dtype=i32)
  assert max_error(kernel(x), x) == 0

# inventory: SC cumsum, masked_cumsum, masked_cummax
def test_scans():
  for dtype in (i32, f32):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((lanes,), dtype), a: Out((lanes,), dtype), b: Out((lanes,), dtype), c: Out((lanes,), dtype), d: Out((lanes,), dtype)):
      v = x[...]
      odd = v % 2 == 1
      a[...] = cumsum(v)
      b[...] = cumsum(v, mask=odd)
      c[...] = cummax(v, mask=odd)
      d[...] = cummin(v - 4)
    x = shuffled(lanes).astype(dtype)
    a, b, c, d = kernel(x)
    total = 0
    odd = 0
    most = None
    least = None
    for i in range(lanes):
      v = int(x[i])
      total = total + v
      if v % 2 == 1:
        odd = odd + v
        most = v if most is None or v > most else most
      least = v - 4 if least is None or v - 4 < least else least
      assert a[i] == total and b[i] == odd and c[i] == (v if most is None else most) and d[i] == least

# inventory: SC reductions
def test_reductions():
  for dtype in (u32, i32, f32):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((lanes,), dtype), a: Out((lanes,), dtype), b: Out((lanes,), dtype), c: Out((lanes,), dtype)):
      a[...] = broadcast_in_dim(sum(x[...]), (lanes,), ())
      b[...] = broadcast_in_dim(max(x[...]), (lanes,), ())
      c[...] = broadcast_in_dim(min(x[...]), (lanes,), ())
    x = shuffled(lanes).astype(dtype)
    if dtype != u32:
      x = x - 4
    a, b, c = kernel(x)
    assert a[0] == sum(x) and b[0] == max(x) and c[0] == min(x)

# inventory: SC binary_reductions
def test_binary_reductions():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((lanes,), i32), a: Out((lanes,), i32), b: Out((lanes,), i32)):
    a[...] = broadcast_in_dim(all(x[...] > 0).astype(i32), (lanes,), ())
    b[...] = broadcast_in_dim(any(x[...] > 0).astype(i32), (lanes,), ())
  a, b = kernel(arange(lanes, dtype=i32))
  assert a[0] == 0 and b[0] == 1
  a, b = kernel(arange(lanes, dtype=i32) + 1)
  assert a[0] == 1 and b[0] == 1
  a, b = kernel(zeros((lanes,), i32))
  assert a[0] == 0 and b[0] == 0

# inventory: SC unary_math_ops, unary_ops
def test_unary():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((lanes,), f32), o: Out((7, lanes), f32)):
    o[0] = sqrt(x[...])
    o[1] = rsqrt(x[...])
    o[2] = tanh(x[...])
    o[3] = log(x[...])
    o[4] = exp(x[...])
    o[5] = -x[...]
    o[6] = abs(x[...] - 4)
  x = arange(lanes, dtype=f32) + 1
  o = kernel(x)
  assert allclose(o[0] * o[0], x) and allclose(o[0] * o[1], ones((lanes,), f32)) and allclose(exp(o[3]), x)
  assert allclose(o[2], tanh(x)) and allclose(o[4], exp(x)) and max_error(o[5], x * -1) == 0 and max_error(o[6], abs(x - 4)) == 0

# inventory: SC vector_gather
def test_vector_gather():
  for dtype in (i32, f32):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((lanes,), dtype), indices: GMEM((lanes,), i32), o: Out((lanes,), dtype)):
      o[...] = take(x[...], indices[...])
    indices = shuffled(lanes) // 2
    assert max_error(kernel(arange(lanes, dtype=dtype), indices), indices.astype(dtype)) == 0

# inventory: SC scan_count
def test_scan_count():
  for dtype in (i32, f32):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((lanes,), dtype), counts: Out((lanes,), i32), last: Out((lanes,), i32)):
      n, mask = scan_count(x[...])
      counts[...] = n
      last[...] = mask.astype(i32)
    x = (shuffled(lanes) % 3).astype(dtype)
    counts, last = kernel(x)
    for i in range(lanes):
      before = len([k for k in range(i + 1) if x[k] == x[i]])
      after = len([k for k in range(i + 1, lanes) if x[k] == x[i]])
      assert counts[i] == before and last[i] == (1 if after == 0 else 0)

# inventory: SC population_count, ffs
def test_counts_of_masks():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((lanes,), i32), counts: Out((lanes,), i32), first: Out((lanes,), i32)):
    mask = x[...] == 1
    counts[...] = all_reduce_population_count(mask)
    first[...] = all_reduce_ffs(mask)
  mixed = (arange(lanes, dtype=i32) == 2).astype(i32) + (arange(lanes, dtype=i32) == 4).astype(i32)
  for x, count, at in ((mixed, 2, 2), (zeros((lanes,), i32), 0, lanes), (ones((lanes,), i32), lanes, 0)):
    counts, first = kernel(x)
    assert max_error(counts, zeros((lanes,), i32) + count) == 0 and max_error(first, zeros((lanes,), i32) + at) == 0

# inventory: SC sort_key_val
def test_sort_key_val():
  for keys in (u32, i32, f32):
    for values in (i32, f32):
      for descending in (False, True):
        @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
        def kernel(m: GMEM((lanes,), i32), k: GMEM((lanes,), keys), v: GMEM((lanes,), values), ok: Out((lanes,), keys), ov: Out((lanes,), values), om: Out((lanes,), i32), pk: Out((lanes,), keys), pv: Out((lanes,), values)):
          x, y, left = sort_key_val(k[...], v[...], mask=m[...] != 0, descending=descending)
          ok[...] = x
          ov[...] = y
          om[...] = left.astype(i32)
          p, q = sort_key_val(k[...], v[...], descending=descending)
          pk[...] = p
          pv[...] = q
        mask = (arange(lanes, dtype=i32) % 3 != 0).astype(i32)
        k = shuffled(lanes).astype(keys)
        if keys != u32:
          k = k - 5
        v = (k * 2).astype(values)
        ok, ov, om, pk, pv = kernel(mask, k, v)
        kept = sorted([int(k[i]) for i in range(lanes) if mask[i] == 1], reverse=descending)
        every = sorted([int(k[i]) for i in range(lanes)], reverse=descending)
        for i in range(lanes):
          assert pk[i] == every[i] and pv[i] == 2 * every[i]
          assert om[i] == (1 if i < len(kept) else 0)
          if i < len(kept):
            assert ok[i] == kept[i] and ov[i] == 2 * kept[i]

# inventory: SC sort, rev_and_sort_desc
def test_sort():
  for dtype in (i32, f32):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(k: GMEM((lanes,), dtype), v: GMEM((lanes,), f32), w: GMEM((lanes,), i32), a: Out((lanes,), dtype), b: Out((lanes,), f32), c: Out((lanes,), i32), d: Out((lanes,), dtype), e: Out((lanes,), dtype)):
      x, y, z = sort((k[...], v[...], w[...]))
      a[...] = x
      b[...] = y
      c[...] = z
      d[...] = rev(sort(k[...]))
      e[...] = rev(k[...])
    k = shuffled(lanes).astype(dtype) - 3
    a, b, c, d, e = kernel(k, (k * 2).astype(f32), (k * 3).astype(i32))
    for i in range(lanes):
      assert a[i] == i - 3 and b[i] == 2 * (i - 3) and c[i] == 3 * (i - 3) and d[i] == lanes - 1 - i - 3 and e[i] == k[lanes - 1 - i]

# inventory: SC store_splat_constant (32 bits and the packed shapes of registers, no f8)
def test_store_splat_constant():
  for dtype, shape in ((i32, (16,)), (i16, (32,)), (i16, (2, 16)), (i8, (64,)), (i8, (4, 16)), (f32, (16,)), (bf16, (32,)), (bf16, (2, 16))):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(o: Out(shape, dtype)):
      o[...] = 42
    assert max_error(kernel(), zeros(shape, dtype) + 42) == 0

# inventory: SC reshape (registers of 32 bits)
def test_reshape():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((2, 16), i32), o: Out((4, 8), i32)):
    o[...] = reshape(x[...], (4, 8))
  x = reshape(arange(32, dtype=i32), (2, 16))
  assert max_error(kernel(x), reshape(x, (4, 8))) == 0

# inventory: SC multiple_of
def test_multiple_of():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
  def kernel(x: GMEM((2 * lanes,), i32), o: Out((2 * lanes,), i32)):
    for i in range(0, 2 * lanes, lanes):
      j = multiple_of(i, 8)
      o[ds(j, lanes)] = x[ds(j, lanes)] + 1
  x = arange(2 * lanes, dtype=i32)
  assert max_error(kernel(x), x + 1) == 0

# inventory: SC take_along_axis (row by row)
def test_take_along_axis():
  for dtype in (i32, f32):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((4, lanes), dtype), indices: GMEM((4, lanes), i32), o: Out((4, lanes), dtype)):
      for i in range(4):
        o[i] = take(x[i], indices[i])
    x = reshape(arange(4 * lanes, dtype=dtype), (4, lanes))
    indices = reshape(arange(4 * lanes, dtype=i32) * 7 % lanes, (4, lanes))
    o = kernel(x, indices)
    for i in range(4):
      for j in range(lanes):
        assert o[i, j] == x[i, int(indices[i, j])]

# inventory: SC 2d_vmem_row_write, large_grid_mul
def test_rows_and_grids():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, grid=(65,), in_specs=[BlockSpec((lanes,), lambda i: i)], out_specs=BlockSpec((lanes,), lambda i: i), scratch=[VMEM((4, lanes), f32)])
  def kernel(x: GMEM((65 * lanes,), f32), o: Out((65 * lanes,), f32), tile):
    for i in range(4):
      tile[i] = x[...] * 2.0
    o[...] = tile[3]
  x = arange(65 * lanes, dtype=f32)
  assert allclose(kernel(x), x * 2)

# inventory: SC parallel_loop_with_carry
def test_parallel_loop_with_carry():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, grid=(4,), in_specs=[BlockSpec((4 * lanes,), lambda i: i)], out_specs=BlockSpec((4 * lanes,), lambda i: i))
  def kernel(x: GMEM((16 * lanes,), i32), o: Out((16 * lanes,), i32)):
    step = 0
    total = zeros((lanes,), i32)
    for i in parallel_loop(0, 4 * lanes, lanes):
      step = step + 10
      o[ds(i, lanes)] = x[ds(i, lanes)] + step
      total = total + x[ds(i, lanes)]
    first = broadcasted_iota(i32, (lanes,), 0) == 0
    o[ds(0, lanes)] = select(first, step * 1000, total)
  x = arange(16 * lanes, dtype=i32)
  o = kernel(x)
  for g in range(4):
    for k in range(4):
      for i in range(lanes):
        at = (4 * g + k) * lanes + i
        expected = x[at] + 10 * (k + 1)
        if k == 0:
          expected = 40000 if i == 0 else sum([int(x[(4 * g + c) * lanes + i]) for c in range(4)])
        assert o[at] == expected

test_add_sub_one()
test_add_one_block_specs()
test_slicing()
test_odd_load_store()
test_rows()
test_get_multi_index()
test_block_spec_untiled_slicing()
test_bitcast()
test_bitcast_of_references()
test_pack_unpack()
test_iota()
test_scalar_load_emulated()
test_split_concatenate()
test_scratch()
test_scans()
test_reductions()
test_binary_reductions()
test_unary()
test_vector_gather()
test_scan_count()
test_counts_of_masks()
test_sort_key_val()
test_sort()
test_store_splat_constant()
test_reshape()
test_multiple_of()
test_take_along_axis()
test_rows_and_grids()
test_parallel_loop_with_carry()
