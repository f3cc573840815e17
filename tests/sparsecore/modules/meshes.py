# Meshes of subcores: scalar and vector ones, shared memory, barriers, loops.

one_core = VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1)
scalar = ScalarSubcoreMesh(axis_name="core", num_cores=1)

@sc_kernel(chip=chip, mesh=one_core)
def subcore_parallel(x: GMEM((16, 8), i32), o: Out((16, 8), i32)):
  i = axis_index("subcore")
  sync_copy(x.at[i], o.at[i])
module("seed.VectorSubcoreTest.test_subcore_parallel", subcore_parallel)

@sc_kernel(chip=chip, mesh=one_core, scratch=[VMEM((8,), u32), VMEM((8,), u32), VMEM((8,), u32)])
def parallel_loop_effects(a, b, c):
  for i in loop(0, 4):
    for _ in parallel_loop(0, 8):
      x = shift_right_logical(a[...], i.astype(u32))
      store_compressed(c.at[...], b[...], mask=x > 0)
module("seed.VectorSubcoreTest.test_parallel_loop_effects", parallel_loop_effects)

@sc_kernel(chip=chip, mesh=one_core)
def shared_scratch(x: GMEM((16, 8, 8), i32), o: Out((16, 8, 8), i32)):
  i = axis_index("subcore")
  shared = get_global(VMEM_SHARED((8, 8), i32))
  if i == 0:
    whole = get_global(VMEM_SHARED((16, 8, 8), i32))
    sync_copy(x.at[i], whole.at[i])
    sync_copy(x.at[i], shared)
    sync_copy(shared, o.at[i])
module("seed.VectorSubcoreTest.test_shared_scratch", shared_scratch)

@sc_kernel(chip=chip, mesh=one_core)
def get_global_in_loop(x: GMEM((lanes,), i32)):
  for i in loop(0, 3):
    shared = get_global(VMEM_SHARED((lanes,), i32))
    sync_copy(x, shared)
module("extra.ExtraTest.test_get_global_in_loop", get_global_in_loop)

def discharged(prints):
  @sc_kernel(chip=chip, mesh=one_core, scratch=[VMEM((lanes,), i32)])
  def kernel(x: GMEM((lanes,), i32), o: Out((lanes,), i32), tile):
    sync_copy(x, tile)
    tile[...] = tile[...] + 1
    v = tile[...]
    if prints:
      debug_print("test", v)
    else:
      subcore_barrier()
    sync_copy(tile, o)
  return kernel
module("seed.VectorSubcoreTest.test_effect_discharge_barrier", discharged(False))
module("seed.VectorSubcoreTest.test_effect_discharge_debug_print", discharged(True))

@sc_kernel(chip=chip, mesh=scalar)
def barrier_scalar():
  subcore_barrier()
module("extra.ExtraTest.test_barrier_scalar", barrier_scalar)

@sc_kernel(chip=chip, mesh=scalar)
def print_scalar_core(x: GMEM((lanes,), i32)):
  debug_print("ref", x)
  debug_print("five", 5)
module("extra.ExtraTest.test_print_scalar_core", print_scalar_core)

def scatter_add(dtype):
  hbm = BlockSpec(memory_space=HBM)
  @sc_kernel(chip=chip, grid=(16,), dimension_semantics=("subcore_parallel",), in_specs=[hbm, BlockSpec((32,), lambda i: 0)], out_specs=hbm, scratch=[VMEM_SHARED((32,), dtype), VMEM((32,), dtype), SemaphoreType.DMA])
  def kernel(x: GMEM((16, 32), dtype), indices: GMEM((32,), i32), o: Out((32,), dtype), shared, tile, sem):
    i = program_id(0)
    sync_copy(x.at[i], tile)
    if i == 0:
      sync_copy(tile, shared)
    subcore_barrier()
    async_copy(tile, shared.at[indices], sem, add=True).wait()
    subcore_barrier()
    if i == 0:
      sync_copy(shared, tile)
      sync_copy(tile, o)
  return kernel
module("seed.VectorSubcoreTest.test_scatter_add0", scatter_add(i32))
module("seed.VectorSubcoreTest.test_scatter_add1", scatter_add(f32))

@sc_kernel(chip=chip, mesh=one_core, scratch=[VMEM((1024, 16), i32)])
def copy_in_shard_map(x: GMEM((1024, 16), i32), o: Out((1024, 16), i32), tile):
  sync_copy(x, tile)
  sync_copy(tile, o)
module("seed.VectorSubcoreTest.test_copy_in_shard_map", copy_in_shard_map)

@sc_kernel(chip=chip, mesh=scalar, scratch=[SMEM((8,), i32), SemaphoreType.DMA])
def scalar_sums(x: GMEM((8,), i32), o: Out((8,), i32), tile, sem):
  async_copy(x, tile, sem).wait()
  for i in loop(1, 8):
    tile[i] += tile[i - 1]
  async_copy(tile, o, sem).wait()
module("seed.ScalarSubcoreTest.test_scalar_load_store", scalar_sums)

@sc_kernel(chip=chip)
def forms(x: GMEM((4, lanes), i32), o: Out((4, lanes), i32)):
  for i in parallel_loop(0, 4):
    o[i] = x[i] + 1
  for i in parallel_loop(0, 4, 2, unroll=2):
    o[i] = o[i] * 2
  total = parallel_loop(0, 4, carry=(0, zeros((lanes,), i32)))(lambda i, carry: (carry[0] + i, carry[1] + x[i]))
  o[0] = total[1] + total[0]

@sc_kernel(chip=chip)
def multiple_of_sixteen(x: GMEM((16,), i32), o: Out((16,), i32)):
  for i in loop(0, 16, 8):
    i = multiple_of(i, 8)
    o[ds(i, 8)] = x[ds(i, 8)] + 1
module("seed.VectorSubcoreTest.test_multiple_of", multiple_of_sixteen)

@sc_kernel(chip=chip)
def unrolled(x: GMEM((4, lanes), i32), o: Out((lanes,), i32)):
  o[...] = fori_loop(0, 4, lambda i, acc: acc + x[i], broadcast_in_dim(0, (lanes,), ()), unroll=True)
