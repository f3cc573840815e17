# Compares a vector subcore's results with arithmetic on the host. tests/sparsecore/inventory.py runs this file for each
# chip, with `chip`, `lanes` and `tiled` set, and a second time with a TensorCore's tiling.

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
  size = 128 if tiled else lanes
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, grid=(4,), in_specs=[BlockSpec((size,), lambda i: i)], out_specs=BlockSpec((size,), lambda i: i))
  def kernel(x: GMEM((4 * size,), i32), o: Out((4 * size,), i32)):
    for i in range(0, size, lanes):
      o[ds(i, lanes)] = x[ds(i, lanes)] + 1
  x = arange(4 * size, dtype=i32)
  assert max_error(kernel(x), x + 1) == 0

words = ((8,), (16,), (32,), (64,), (1, 8), (1, 16), (2, 8), (2, 16), (4, 8), (4, 16))
halves = ((16,), (32,), (64,), (2, 8), (2, 16))
halved = halves + ((4, 8), (4, 16))
bytes_ = ((32,), (64,), (4, 8), (4, 16))
registers = ((i32, words), (u32, words), (f32, words), (i16, halves), (u16, halves), (f16, halved), (bf16, halved), (i8, bytes_), (u8, bytes_))

# inventory: SC slicing (every shape that registers have, in every dtype, and every part of a row)
def test_slicing():
  for dtype, shape in [(dtype, shape) for dtype, shapes in registers for shape in shapes]:
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
  for shape, dtype in (((100,), i32), ((3, 7), f32), ((5,), i16), ((2, 3, 9), bf16), ((33,), i8)):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, needs_layout_passes=True)
    def whole(x: GMEM(shape, dtype), o: Out(shape, dtype)):
      o[...] = x[...]
    count = 1
    for n in shape:
      count = count * n
    x = reshape(arange(count, dtype=i32) % 100, shape).astype(dtype)
    if shape[-1] % 8 == 0 or len(shape) == 1:
      assert max_error(whole(x), x) == 0

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

# inventory: SC block_spec_untiled_slicing
def test_block_spec_untiled_slicing():
  drawn = 12345
  for case in range(12):
    rank = 1 + tiled + case % (4 - tiled) # random blocks of up to three times the least size, at offsets of up to four
    block = []
    offsets = []
    for d in range(rank):
      drawn = (drawn * 1103515245 + 12345) % 2147483648
      least = (128 if d == rank - 1 else lanes if d == rank - 2 else 1) if tiled else (lanes if d == rank - 1 else 1)
      block.append((1 + drawn // 65536 % (2 if tiled else 3)) * least)
      offsets.append(drawn // 1048576 % 5)
    block = tuple(block)
    check_block(block, tuple(offsets))
  for block, offsets in (((8,), (2,)), ((2, 8), (1, 0)), ((3, 16), (0, 4)), ((2, 1, 8), (1, 3, 2))):
    check_block(block, offsets)

def check_block(block, offsets):
    full = [block[d] * (offsets[d] + 2) for d in range(len(block))]
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[BlockSpec(block, lambda: offsets)])
    def kernel(x: GMEM(full, i32), o: Out(block, i32)):
      width = 8 if block[-1] % lanes else lanes
      def copied(before, sizes):
        if len(sizes) == 1:
          for j in range(sizes[0] // width):
            if len(before) == 0:
              o[ds(j * width, width)] = x[ds(j * width, width)]
            elif len(before) == 1:
              o[before[0], ds(j * width, width)] = x[before[0], ds(j * width, width)]
            elif len(before) == 2:
              o[before[0], before[1], ds(j * width, width)] = x[before[0], before[1], ds(j * width, width)]
            else:
              o[before[0], before[1], before[2], ds(j * width, width)] = x[before[0], before[1], before[2], ds(j * width, width)]
        else:
          for i in range(sizes[0]):
            copied(before + (i,), sizes[1:])
      copied((), block)
    count = 1
    for n in full:
      count = count * n
    x = reshape(arange(count, dtype=i32), full)
    expected = x
    for d in range(len(block)): # cuts the first dimension to its part, then moves it to the back
      expected = expected[offsets[d] * block[d]:(offsets[d] + 1) * block[d]]
      expected = transpose(expected, tuple(range(1, len(block))) + (0,)) if len(block) > 1 else expected
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
  for i in (0, 4, 9, 13):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((16,), i32), o: Out((lanes,), i32)):
      o[...] = broadcast_in_dim(x[...][i], (lanes,), ())
    assert max_error(kernel(arange(16, dtype=i32) * 3), zeros((lanes,), i32) + 3 * i) == 0

# inventory: SC split_concatenate
def test_split_concatenate():
  for sizes in ((1, 1), (2, 2), (1, 1, 1, 1)):
    rows = sum(sizes)
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled)
    def kernel(x: GMEM((rows, lanes), i32), o: Out((rows, lanes), i32)):
      o[...] = concatenate(split(x[...], sizes, 0), 0)
    x = reshape(arange(rows * lanes, dtype=i32), (rows, lanes))
    assert max_error(kernel(x), x) == 0

# inventory: SC scratch, scratch_with_core_type
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
    up = arange(lanes, dtype=dtype)
    down = lanes - 1 - up
    for x in [up, down, shuffled(lanes).astype(dtype)] + ([] if dtype == u32 else [up * -1, down * -1, up - 4]):
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
        same, order, _, kept_same, kept_order = kernel(mask, k // 2, arange(lanes, dtype=values))
        for i in range(1, lanes): # equal keys keep their order
          assert kept_same[i - 1] != kept_same[i] or kept_order[i - 1] < kept_order[i]
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
    def two(k: GMEM((lanes,), dtype), v: GMEM((lanes,), i32), a: Out((lanes,), dtype), b: Out((lanes,), i32)):
      x, y = sort((k[...], v[...]))
      a[...] = x
      b[...] = y
    a, b = two(shuffled(lanes).astype(dtype), shuffled(lanes) * 4)
    for i in range(lanes):
      assert a[i] == i and b[i] == 4 * i
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

# inventory: SC store_splat_constant
def test_store_splat_constant():
  for dtype, shape, value in ((i32, (16,), 42), (i16, (32,), 42), (i16, (2, 16), 42), (i8, (64,), 42), (i8, (4, 16), 42), (f32, (16,), 42.0), (bf16, (32,), 42.0),
                              (bf16, (2, 16), 42.0), (f8e5m2, (64,), 7.0), (f8e5m2, (4, 16), 7.0)):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, needs_layout_passes=True)
    def kernel(o: Out(shape, dtype)):
      o[...] = full(shape, value, dtype)
    assert max_error(kernel().astype(f32), zeros(shape, f32) + value) == 0

# inventory: SC reshape
def test_reshape():
  for before, after, dtype in (((8, 80), (4, 160), f32), ((2, 160), (2, 10, 16), bf16), ((2, 10, 16), (2, 160), bf16)):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, needs_layout_passes=True)
    def shaped(x: GMEM(before, dtype), o: Out(after, dtype)):
      o[...] = reshape(x[...], after)
    count = 1
    for n in before:
      count = count * n
    x = reshape(arange(count, dtype=f32), before).astype(dtype)
    assert max_error(shaped(x), reshape(x, after)) == 0
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

# inventory: SC take_along_axis
def test_take_along_axis():
  shape = (2, 8, 64)
  for dtype in (i32, f32):
    for axis in (0, 1, 2):
      @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, needs_layout_passes=True)
      def along(x: GMEM(shape, dtype), indices: GMEM(shape, i32), o: Out(shape, dtype)):
        o[...] = take_along_axis(x[...], indices[...], axis=axis, mode="promise_in_bounds")
      x = reshape(arange(1024, dtype=dtype), shape)
      indices = reshape(arange(1024, dtype=i32) * 37 // 3 % shape[axis], shape)
      o = along(x, indices)
      for i in range(2):
        for j in range(8):
          for k in range(64):
            at = int(indices[i, j, k])
            assert o[i, j, k] == (x[at, j, k] if axis == 0 else x[i, at, k] if axis == 1 else x[i, j, at])
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
  for steps in (65, 128):
    check_grid(steps)

def check_grid(steps):
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, grid=(steps,), in_specs=[BlockSpec((lanes,), lambda i: i)], out_specs=BlockSpec((lanes,), lambda i: i), scratch=[VMEM((4, lanes), f32)])
  def kernel(x: GMEM((steps * lanes,), f32), o: Out((steps * lanes,), f32), tile):
    for i in range(4):
      tile[i] = x[...] * 2.0
    o[...] = tile[3]
  x = arange(steps * lanes, dtype=f32)
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
