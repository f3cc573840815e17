# Semaphores, scalars, views, sorts of several values. Each kernel tests one rule.

@sc_kernel(chip=chip, scratch=[SemaphoreType.REGULAR])
def semaphores(o: Out((lanes,), i32), sem):
  semaphore_signal(sem, 2)
  semaphore_wait(sem, 1)
  o[...] = broadcast_in_dim(semaphore_read(sem), (lanes,), ())
module("extra.ExtraTest.test_semaphores", semaphores)

scalar = ScalarSubcoreMesh(axis_name="core", num_cores=1)

@sc_kernel(chip=chip, mesh=scalar, scratch=[SemaphoreType.REGULAR])
def semaphore_scalar_core(x: GMEM((lanes,), i32), o: Out((lanes,), i32), sem):
  semaphore_signal(sem, 1)
  semaphore_wait(sem, 1)
  sync_copy(x, o)
module("extra.ExtraTest.test_semaphore_scalar_core", semaphore_scalar_core)

two_cores = ScalarSubcoreMesh(axis_name="core", num_cores=2)

@sc_kernel(chip=chip, mesh=two_cores, scratch=[SMEM((8,), i32), SemaphoreType.DMA])
def scalar_core_math(x: GMEM((8,), i32), o: Out((8,), i32), tile, sem):
  async_copy(x, tile, sem).wait()
  for i in loop(1, 8):
    tile[i] = tile[i - 1] * 3 + axis_index("core")
  async_copy(tile, o, sem).wait()
module("extra.ExtraTest.test_scalar_core_math", scalar_core_math)

@sc_kernel(chip=chip)
def one_lane(x: GMEM((lanes,), i32), o: Out((lanes,), i32)):
  o[...] = broadcast_in_dim(x[...][2], (lanes,), ())
module("extra.ExtraTest.test_squeeze_scalar", one_lane)

@sc_kernel(chip=chip)
def scan_count_masked(x: GMEM((lanes,), i32), counts: Out((lanes,), i32), last: Out((lanes,), i32)):
  v = x[...]
  n, m = scan_count(v, x[...] > 2)
  counts[...] = n
  last[...] = m.astype(i32)
module("extra.ExtraTest.test_scan_count_masked", scan_count_masked)

@sc_kernel(chip=chip)
def sort_three(a: GMEM((lanes,), i32), b: GMEM((lanes,), f32), c: GMEM((lanes,), i32), x: Out((lanes,), i32), y: Out((lanes,), f32), z: Out((lanes,), i32)):
  p, q, r = sort((a[...], b[...], c[...]))
  x[...] = p
  y[...] = q
  z[...] = r
module("extra.ExtraTest.test_sort_three", sort_three)

def sort_descending(dtype):
  @sc_kernel(chip=chip)
  def kernel(x: GMEM((lanes,), dtype), sorted: Out((lanes,), dtype), turned: Out((lanes,), dtype)):
    sorted[...] = rev(sort(x[...]))
    turned[...] = rev(x[...])
  return kernel
module("seed.VectorSubcoreTest.test_rev_and_sort_desc0", sort_descending(i32))
module("seed.VectorSubcoreTest.test_rev_and_sort_desc1", sort_descending(f32))

@sc_kernel(chip=chip)
def sort_desc(x: GMEM((lanes,), i32), o: Out((lanes,), i32)):
  o[...] = rev(sort(x[...]))
module("extra.ExtraTest.test_sort_desc", sort_desc)

@sc_kernel(chip=chip)
def ref_reshape(x: GMEM((8, 16), i32), o: Out((8,), i32)):
  o[...] = x.reshape(16, 8)[3]
module("extra.ExtraTest.test_ref_reshape", ref_reshape)

@sc_kernel(chip=chip)
def ref_bitcast_same_width(x: GMEM((lanes,), i32), o: Out((lanes,), f32)):
  o[...] = x.bitcast(f32)[...]

@sc_kernel(chip=chip)
def swap_returns_old(x: GMEM((8,), i32), o: Out((8,), i32), old: Out((8,), i32)):
  v = x[...]
  before = o[...]
  o[...] = v
  old[...] = before

@sc_kernel(chip=chip, in_specs=BlockSpec(memory_space=VMEM_SHARED), out_specs=BlockSpec(memory_space=VMEM))
def vmem_shared_operands(x: GMEM((lanes,), i32), o: Out((lanes,), i32)):
  sync_copy(x, o)
module("extra.ExtraTest.test_vmem_shared_operands", vmem_shared_operands)

@sc_kernel(chip=chip, scratch=[SMEM((4,), i32)])
def scalar_smem(o: Out((lanes,), i32), tile):
  tile[0] = 7
  tile[1] = tile[0] * 2
  o[...] = broadcast_in_dim(tile[1], (lanes,), ())
module("extra.ExtraTest.test_scalar_smem", scalar_smem)

@sc_kernel(chip=chip)
def reshape_value(x: GMEM((2, 8), i32), o: Out((16,), i32)):
  o[...] = reshape(x[...], (16,))
module("extra.ExtraTest.test_reshape_value", reshape_value)
