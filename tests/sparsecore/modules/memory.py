# Masked loads and stores, gathers and scatters by lanes.

@sc_kernel(chip=chip)
def expand_compress(x: GMEM((64,), f32), o: Out((64,), f32)):
  v = x[8:8 + lanes]
  e = load_expanded(x.at[ds(0, lanes)], mask=v > 0.0)
  store_compressed(o.at[ds(3, lanes)], e, mask=e > 1.0)
  addupdate(o.at[ds(0, lanes)], e)
  addupdate_compressed(o.at[ds(1, lanes)], e, mask=e > 2.0)
module("extra.ExtraTest.test_expand_compress_f32", expand_compress)

@sc_kernel(chip=chip)
def load_gather_1d(x: GMEM((8,), i32), indices: GMEM((8,), i32), o: Out((8,), i32)):
  o[...] = load_gather(x, [indices[...]])
module("seed.VectorSubcoreTest.test_load_gather_1d", load_gather_1d)

@sc_kernel(chip=chip)
def load_gather_2d(x: GMEM((8, 8), i32), a: GMEM((8,), i32), b: GMEM((8,), i32), o: Out((8,), i32)):
  o[...] = load_gather(x, [a[...], b[...]])
module("seed.VectorSubcoreTest.test_load_gather_2d", load_gather_2d)

@sc_kernel(chip=chip)
def load_gather_rows(x: GMEM((4, 8), i32), indices: GMEM((8,), i32), o: Out((4, 8), i32)):
  places = indices[...]
  for i in static_range(4):
    o[i] = load_gather(x.at[i], [places])
module("seed.VectorSubcoreTest.test_load_gather_with_indexing", load_gather_rows)

masks = [lambda x: x < 4, lambda x: x >= 4]
for k in range(2):
  mask = masks[k]

  def gathered(mask):
    @sc_kernel(chip=chip)
    def kernel(x: GMEM((8,), i32), indices: GMEM((8,), i32), o: Out((8,), i32)):
      places = indices[...]
      o[...] = load_gather(x, [places], mask=mask(x[...]))
    return kernel

  def scattered(mask):
    @sc_kernel(chip=chip)
    def kernel(x: GMEM((8,), i32), indices: GMEM((8,), i32), o: Out((8,), i32)):
      v = x[...]
      o[...] = zeros((8,), i32)
      store_scatter(o, [indices[...]], v, mask=mask(v))
    return kernel

  def added(mask):
    @sc_kernel(chip=chip)
    def kernel(x: GMEM((8,), i32), indices: GMEM((8,), i32), o: Out((8,), i32)):
      v = x[...]
      o[...] = ones((8,), i32)
      addupdate_scatter(o, [indices[...]], v, mask=mask(v))
    return kernel

  def compressed(mask):
    @sc_kernel(chip=chip)
    def kernel(x: GMEM((8,), i32), o: Out((8,), i32)):
      v = x[...]
      store_compressed(o.at[...], v, mask=mask(v))
    return kernel

  def expanded(mask):
    @sc_kernel(chip=chip)
    def kernel(x: GMEM((8,), i32), o: Out((8,), i32)):
      o[...] = load_expanded(x.at[...], mask=mask(x[...]))
    return kernel

  def added_compressed(mask):
    @sc_kernel(chip=chip)
    def kernel(x: GMEM((8,), i32), o: Out((8,), i32)):
      o[...] = zeros((8,), i32)
      for i in static_range(8):
        addupdate_compressed(o.at[...], i, mask=mask(x[...]))
    return kernel

  module(f"seed.VectorSubcoreTest.test_load_gather_masked{k}", gathered(mask))
  module(f"seed.VectorSubcoreTest.test_store_scatter_masked{k}", scattered(mask))
  module(f"seed.VectorSubcoreTest.test_addupdate_scatter{k}", added(mask))
  module(f"seed.VectorSubcoreTest.test_store_compressed{k}", compressed(mask))
  module(f"seed.VectorSubcoreTest.test_load_expanded{k}", expanded(mask))
  module(f"seed.VectorSubcoreTest.test_addupdate_compressed{k}", added_compressed(mask))

@sc_kernel(chip=chip)
def adds(o: Out((8,), i32)):
  o[...] = zeros((8,), i32)
  for i in static_range(8):
    addupdate(o.at[...], i)
module("seed.VectorSubcoreTest.test_addupdate", adds)

@sc_kernel(chip=chip)
def store_scatter_rows(x: GMEM((4, 8), i32), indices: GMEM((8,), i32), o: Out((4, 8), i32)):
  places = indices[...]
  o[...] = zeros((4, 8), i32)
  for i in static_range(4):
    row = x[i]
    store_scatter(o.at[i], [places], row)
module("seed.VectorSubcoreTest.test_store_scatter", store_scatter_rows)

@sc_kernel(chip=chip)
def kinds(x: GMEM((lanes,), i32)):
  with run_scoped(VMEM((lanes,), i32), SMEM((4,), f32), VMEM_SHARED((8, 8), i32), SemaphoreType.DMA, SemaphoreType.REGULAR, SemaphoreType.DMA((4,)), SemaphoreType.REGULAR((2, 2))) as (tile, a, b, c, d, e, f):
    x[...] = tile[...]
module("extra.ExtraTest.test_run_scoped_kinds", kinds)

def tiled(shape, dtype, tiling, memory=VMEM):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((lanes,), i32)):
    with run_scoped(memory(shape, dtype, tiling=tiling)) as tile:
      pass
  return kernel
module("extra.ExtraTest.test_tiled_8x128", tiled((5, 16, 256), f32, [(8, 128)]))
module("extra.ExtraTest.test_tiled_two_levels", tiled((16, 256), bf16, [(8, 128), (2, 1)]))
module("extra.ExtraTest.test_tiled_bool", tiled((4, 64), i1, [(1, 16)]))
module("extra.ExtraTest.test_tiled_shared", tiled((4, 64), i32, [(1, 16)], VMEM_SHARED))

@sc_kernel(chip=chip)
def run_scoped_with_tiling(x: GMEM((2, 8), i32), o: Out((2, 8), i32)):
  with run_scoped(VMEM((2, 8), i32, tiling=[(2, 1)])) as tile:
    tile[...] = x[...]
    o[...] = tile[...]
module("seed.VectorSubcoreTest.test_run_scoped_with_tiling", run_scoped_with_tiling)

@sc_kernel(chip=chip)
def bitcast_rows(x: GMEM((8, 8), i32), o: Out((16, 8), i16)):
  o[...] = x.bitcast(i16)[...]
