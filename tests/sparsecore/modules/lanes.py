# Operations across the lanes of a vector: scans, reductions, sorts, packing, counts.

def one(dtype, operation, count=lanes, out=None):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((count,), dtype), o: Out((count,), out if out is not None else dtype)):
    o[...] = operation(x[...])
  return kernel

def masked(dtype, operation):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((lanes,), dtype), o: Out((lanes,), dtype)):
    o[...] = operation(x[...], x[...] % 2 == 1)
  return kernel

for k, dtype in enumerate((i32, f32)):
  module(f"seed.VectorSubcoreTest.test_cumsum{k}", one(dtype, lambda x: cumsum(x)))
  module(f"seed.VectorSubcoreTest.test_reductions{2 * k}", one(dtype, lambda x: broadcast_in_dim(sum(x), (lanes,), ())))
  module(f"seed.VectorSubcoreTest.test_reductions{2 * k + 1}", one(dtype, lambda x: broadcast_in_dim(max(x), (lanes,), ())))
  module(f"seed.VectorSubcoreTest.test_masked_cumsum{k}", masked(dtype, lambda x, m: cumsum(x, mask=m)))
  module(f"seed.VectorSubcoreTest.test_masked_cummax{k}", masked(dtype, lambda x, m: cummax(x, mask=m)))

module("extra.ExtraTest.test_cumsum", one(i32, lambda x: cumsum(x)))
module("extra.ExtraTest.test_cummax_f32_masked", one(f32, lambda x: cummax(x, mask=x > 1.0)))
module("extra.ExtraTest.test_cummax_i32", one(i32, lambda x: cummax(x)))
module("extra.ExtraTest.test_reduce_sum_f32", one(f32, lambda x: broadcast_in_dim(sum(x), (lanes,), ())))
module("extra.ExtraTest.test_reduce_sum_i32", one(i32, lambda x: broadcast_in_dim(sum(x), (lanes,), ())))
module("extra.ExtraTest.test_reduce_max_i32", one(i32, lambda x: broadcast_in_dim(max(x), (lanes,), ())))
module("extra.ExtraTest.test_rev", one(i32, lambda x: rev(x)))
module("extra.ExtraTest.test_sort_one", one(i32, lambda x: sort(x)))

@sc_kernel(chip=chip)
def iota_ok(o: Out((lanes,), i32)):
  o[...] = broadcasted_iota(i32, (lanes,), 0)
module("extra.ExtraTest.test_iota_ok", iota_ok)

@sc_kernel(chip=chip)
def pack_formats(a: GMEM((lanes,), f32), b: GMEM((lanes,), f32), x: Out((2, lanes), f32), y: Out((2, lanes), f32)):
  for i in static_range(2):
    form = (PackFormat.COMPRESSED, PackFormat.INTERLEAVED)[i]
    first, second = unpack(pack(a[...], b[...], format=form), format=form)
    x[i] = first
    y[i] = second
module("extra.ExtraTest.test_pack_formats", pack_formats)

def packed(form, dtype):
  @sc_kernel(chip=chip)
  def kernel(a: GMEM((8,), dtype), b: GMEM((8,), dtype), x: Out((8,), dtype), y: Out((8,), dtype)):
    ab = pack(a[...], b[...], format=form)
    first, second = unpack(ab, format=form)
    x[...] = first
    y[...] = second
  return kernel
k = 0
for form in (PackFormat.COMPRESSED, PackFormat.INTERLEAVED):
  for dtype in (f32, i32):
    module(f"seed.VectorSubcoreTest.test_pack_unpack{k}", packed(form, dtype))
    k = k + 1

def counted(dtype):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((8,), dtype), counts: Out((8,), i32), last: Out((8,), i32)):
    n, mask = scan_count(x[...])
    counts[...] = n
    last[...] = mask.astype(i32)
  return kernel
module("seed.VectorSubcoreTest.test_scan_count0", counted(i32))
module("seed.VectorSubcoreTest.test_scan_count1", counted(f32))

@sc_kernel(chip=chip)
def population_count(x: GMEM((8,), i32), o: Out((8,), i32)):
  o[...] = all_reduce_population_count(x[...] < 50)
module("seed.VectorSubcoreTest.test_population_count", population_count)

@sc_kernel(chip=chip)
def first_set(x: GMEM((8,), i32), o: Out((8,), i32)):
  o[...] = all_reduce_ffs(x[...] == 1)
for name in ("mixed", "all_zero", "all_one"):
  module(f"seed.VectorSubcoreTest.test_ffs_{name}", first_set)

def taken(dtype):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((lanes,), dtype), indices: GMEM((lanes,), i32), o: Out((lanes,), dtype)):
    v = x[...]
    i = indices[...]
    i = select(i < 0, i + lanes, i)
    o[...] = take(v, reshape(reshape(i, (lanes, 1)), (lanes,)))
  return kernel
module("seed.VectorSubcoreTest.test_vector_gather0", taken(i32))
module("seed.VectorSubcoreTest.test_vector_gather1", taken(f32))

# Keys of f32. differences.txt explains integers.
def pairs(keys, values, masks, descending):
  if masks:
    @sc_kernel(chip=chip)
    def with_mask(m: GMEM((lanes,), i32), k: GMEM((lanes,), keys), v: GMEM((lanes,), values), ok: Out((lanes,), keys), ov: Out((lanes,), values), om: Out((lanes,), i32)):
      mask = m[...].astype(i1)
      x, y, left = sort_key_val(k[...], v[...], mask=mask, descending=descending)
      ok[...] = x
      ov[...] = y
      om[...] = left.astype(i32)
    return with_mask
  @sc_kernel(chip=chip)
  def without(k: GMEM((lanes,), keys), v: GMEM((lanes,), values), ok: Out((lanes,), keys), ov: Out((lanes,), values)):
    x, y = sort_key_val(k[...], v[...], descending=descending)
    ok[...] = x
    ov[...] = y
  return without
n = 0
for keys in (i32, f32):
  for values in (i32, f32):
    for masks in (False, True):
      for descending in (False, True):
        module(f"seed.VectorSubcoreTest.test_sort_key_val{n}", pairs(keys, values, masks, descending))
        n = n + 1

def sorted_with(keys, values):
  if len(values) == 0:
    @sc_kernel(chip=chip)
    def alone(k: GMEM((lanes,), keys), ok: Out((lanes,), keys)):
      ok[...] = sort((k[...],))[0]
    return alone
  if len(values) == 1:
    @sc_kernel(chip=chip)
    def one_value(k: GMEM((lanes,), keys), v: GMEM((lanes,), values[0]), ok: Out((lanes,), keys), ov: Out((lanes,), values[0])):
      x, y = sort((k[...], v[...]))
      ok[...] = x
      ov[...] = y
    return one_value
  @sc_kernel(chip=chip)
  def two_values(k: GMEM((lanes,), keys), v: GMEM((lanes,), values[0]), w: GMEM((lanes,), values[1]), ok: Out((lanes,), keys), ov: Out((lanes,), values[0]), ow: Out((lanes,), values[1])):
    x, y, z = sort((k[...], v[...], w[...]))
    ok[...] = x
    ov[...] = y
    ow[...] = z
  return two_values
n = 0
for keys in (i32, f32):
  for values in ((), (i32,), (f32, i32)):
    module(f"seed.VectorSubcoreTest.test_sort{n}", sorted_with(keys, values))
    n = n + 1
