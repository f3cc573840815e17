# Copies: direct, gathers, scatters.

hbm = BlockSpec(memory_space=HBM)
vmem = BlockSpec(memory_space=VMEM)

@sc_kernel(chip=chip, out_specs=hbm)
def copied(x: GMEM((8,), i32), o: Out((8,), i32)):
  sync_copy(x, o)
module("seed.VectorSubcoreTest.test_run_scoped", copied)

for k, shape in enumerate(((8,), (16,), (8, 8), (16, 8), (8, 16, 8))):
  def scattered(shape):
    @sc_kernel(chip=chip, out_specs=hbm)
    def kernel(x: GMEM(shape, i32), indices: GMEM((shape[0],), i32), o: Out(shape, i32)):
      with run_scoped(SemaphoreType.DMA) as sem:
        async_copy(x, o.at[indices], sem).wait()
    return kernel
  module(f"seed.VectorSubcoreTest.test_scatter_major{k}", scattered(shape))

@sc_kernel(chip=chip, out_specs=hbm)
def scatter_1d_array(x: GMEM((8,), i32), indices: GMEM((8,), i32), o: Out((8,), i32)):
  sync_copy(x, o.at[indices[...]])
module("seed.VectorSubcoreTest.test_scatter_1d_array", scatter_1d_array)

def gathered(vector, rows):
  @sc_kernel(chip=chip, in_specs=[hbm, vmem])
  def kernel(x: GMEM((8,), i32), indices: GMEM((8,), i32), o: Out((2, 8) if rows else (8,), i32)):
    places = indices[...] if vector else indices
    sync_copy(x.at[places], o.at[0] if rows else o)
  return kernel
for k in range(2):
  module(f"seed.VectorSubcoreTest.test_gather_1d{k}", gathered(k == 1, False))
  module(f"seed.VectorSubcoreTest.test_gather_1d_to_transformed_dst{k}", gathered(k == 1, True))

@sc_kernel(chip=chip, in_specs=[hbm, vmem])
def gather_1d_with_indexing(x: GMEM((4, 4, 8), i32), indices: GMEM((8,), i32), o: Out((8,), i32)):
  sync_copy(x.at[1, 2].at[indices], o)
module("seed.VectorSubcoreTest.test_gather_1d_with_indexing", gather_1d_with_indexing)

@sc_kernel(chip=chip, in_specs=[hbm, vmem])
def gather_2d_with_indexing(x: GMEM((4, 16, 128), i32), indices: GMEM((8,), i32), o: Out((8, 128), i32)):
  sync_copy(x.at[1, ds(8, 8), :].at[indices], o)
module("seed.VectorSubcoreTest.test_gather_2d_with_indexing", gather_2d_with_indexing)

@sc_kernel(chip=chip, in_specs=[hbm, vmem])
def gather_1d_with_indexed_ref(x: GMEM((16,), i32), indices: GMEM((16,), i32), o: Out((8,), i32)):
  sync_copy(x.at[indices.at[:8]], o)
module("seed.VectorSubcoreTest.test_gather_1d_with_indexed_ref", gather_1d_with_indexed_ref)

@sc_kernel(chip=chip, grid=(1,), in_specs=[hbm, vmem])
def dynamically_sized(x: GMEM((16,), i32), indices: GMEM((16,), i32), o: Out((8,), i32)):
  n = program_id(0) + 8
  sync_copy(x.at[indices.at[ds(0, n)]], o.at[ds(0, n)])
module("seed.VectorSubcoreTest.test_gather_1d_with_dynamically_sized_ref", dynamically_sized)

@sc_kernel(chip=chip, grid=(1,), in_specs=[hbm, vmem])
def dynamically_sized_2d(x: GMEM((16,), i32), indices: GMEM((2, 16), i32), o: Out((8,), i32)):
  row = program_id(0)
  n = row + 8
  sync_copy(x.at[indices.at[row, ds(0, n)]], o.at[ds(0, n)])
module("seed.VectorSubcoreTest.test_gather_1d_with_dynamically_sized_2d_ref", dynamically_sized_2d)

@sc_kernel(chip=chip, grid=(4,), in_specs=[BlockSpec((1, 8), indexed_by=1, indexed_dim=0), BlockSpec((1,), lambda i: i)], out_specs=BlockSpec((1, 8), lambda i: (0, i)))
def implicit_gather_1d(x: GMEM((4, 8), i32), indices: GMEM((4,), i32), o: Out((4, 8), i32)):
  o[...] = x[...]
module("seed.VectorSubcoreTest.test_implicit_gather_1d", implicit_gather_1d)

@sc_kernel(chip=chip, in_specs=[hbm, vmem], out_specs=vmem)
def gather_rows(x: GMEM((64, 32), f32), indices: GMEM((lanes,), i32), o: Out((lanes, 32), f32)):
  sync_copy(x.at[indices], o)
module("extra.ExtraTest.test_dma_gather_rows", gather_rows)

@sc_kernel(chip=chip, in_specs=[hbm, vmem], out_specs=vmem)
def gather_add(x: GMEM((64,), i32), indices: GMEM((lanes,), i32), o: Out((lanes,), i32)):
  places = indices[...]
  sync_copy(x.at[places], o, add=True)
module("extra.ExtraTest.test_dma_gather_add_vector_offsets", gather_add)

@sc_kernel(chip=chip, in_specs=[hbm, vmem], out_specs=vmem, scratch=[VMEM_SHARED((64,), i32)])
def gather_from_shared(x: GMEM((64,), i32), indices: GMEM((lanes,), i32), o: Out((lanes,), i32), shared):
  sync_copy(x, shared)
  sync_copy(shared.at[indices], o)
module("extra.ExtraTest.test_dma_gather_from_shared", gather_from_shared)

@sc_kernel(chip=chip, in_specs=[vmem, vmem], out_specs=hbm)
def scatter_add(x: GMEM((lanes,), i32), indices: GMEM((lanes,), i32), o: Out((64,), i32)):
  sync_copy(x, o.at[indices], add=True)
module("extra.ExtraTest.test_dma_scatter_add", scatter_add)

@sc_kernel(chip=chip, in_specs=[vmem, vmem], out_specs=vmem, scratch=[VMEM_SHARED((64,), i32)])
def scatter_to_shared(x: GMEM((lanes,), i32), indices: GMEM((lanes,), i32), o: Out((lanes,), i32), shared):
  sync_copy(x, shared.at[indices])
module("extra.ExtraTest.test_dma_scatter_to_shared", scatter_to_shared)

@sc_kernel(chip=chip, in_specs=hbm, out_specs=hbm, scratch=[VMEM((3, lanes), i32), SemaphoreType.DMA((2, 3))])
def async_many(x: GMEM((4, lanes), i32), o: Out((4, lanes), i32), tiles, sems):
  copies = [async_copy(x.at[i], tiles.at[i], sems.at[1, i]) for i in range(3)]
  for copy in copies:
    copy.wait()
  async_copy(tiles, o.at[:3], sems.at[0, 2], priority=1).wait()
module("extra.ExtraTest.test_dma_async_many", async_many)

@sc_kernel(chip=chip, in_specs=hbm, out_specs=hbm, scratch=[SemaphoreType.DMA, SemaphoreType.DMA])
def remote(x: GMEM((lanes,), i32), o: Out((lanes,), i32), send, receive):
  async_remote_copy(x, o, send, receive, 1).wait()
module("extra.ExtraTest.test_dma_remote", remote)

@sc_kernel(chip=chip, grid=(1, 16) if False else (4, 16), dimension_semantics=("core_parallel", "subcore_parallel"), in_specs=[BlockSpec((1, lanes), lambda i, j: (i * 16 + j, 0))], out_specs=BlockSpec((1, lanes), lambda i, j: (i * 16 + j, 0)))
def grid_core_parallel(x: GMEM((64, lanes), i32), o: Out((64, lanes), i32)):
  o[...] = x[...] + 1
module("extra.ExtraTest.test_grid_core_parallel", grid_core_parallel)

@sc_kernel(chip=chip, grid=(2, 4), dimension_semantics=("parallel", "arbitrary"), in_specs=[BlockSpec((1, lanes), lambda i, j: (i, j))], out_specs=BlockSpec((1, lanes), lambda i, j: (i, j)))
def grid_program_id(x: GMEM((2, 4 * lanes), i32), o: Out((2, 4 * lanes), i32)):
  v = x[...]
  o[...] = v + program_id(0) * 10 + program_id(1) + num_programs(1)
module("extra.ExtraTest.test_grid_program_id", grid_program_id)

@sc_kernel(chip=chip)
def empty_grid(x: GMEM((lanes,), i32), o: Out((lanes,), i32)):
  o[...] = x[...]
module("extra.ExtraTest.test_empty_grid_semantics", empty_grid)
