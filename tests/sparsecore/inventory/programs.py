# Programs with several functions, kernels and devices, and their messages. tests/sparsecore/inventory.py runs it, see
# vectors.py.

hbm = BlockSpec(memory_space=HBM)
dma = BlockSpec(memory_space=SemaphoreType.DMA)

# inventory: SC vector_subcore, scalar_subcore
# prints: %o_hbm_ref: memref
# prints: %scratch_ref = memref.alloca()
def test_names():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh("core", "subcore", num_cores=1), scratch=[VMEM((lanes,), i32)], debug=True)
  def on_vector(o_hbm_ref: Out((lanes,), i32), scratch_ref):
    pass
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=ScalarSubcoreMesh("x"), debug=True)
  def on_scalar(o_hbm_ref: Out((lanes,), i32)):
    pass
  ir(on_vector)
  ir(on_scalar)

# inventory: SC mpmd_print
def test_mpmd_print():
  v_mesh = VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")
  s_mesh = ScalarSubcoreMesh(axis_name="core")
  def vector_subcore_fn(x: GMEM((lanes,), i32), out: Out((lanes,), i32)):
    debug_print("From TEC")
  def scalar_subcore_fn(x, out):
    debug_print("From SCS")
  kernel = mpmd_map([(v_mesh, vector_subcore_fn), (s_mesh, scalar_subcore_fn)], chip=chip, use_tc_tiling_on_sc=tiled)
  printed = run(kernel, arange(lanes, dtype=i32)).printed
  cores = 2 if chip == "7x" else 4
  assert printed.count("From TEC") == 16 * cores and printed.count("From SCS") == cores

# A scalar subcore fetches rows for the vector subcores of its core, which compute on their rows and signal when they
# are done.
def test_mpmd_together():
  v_mesh = VectorSubcoreMesh("core", "subcore", num_cores=2)
  s_mesh = ScalarSubcoreMesh("core", num_cores=2)
  def fetch(x: GMEM((2, 16, lanes), i32), o: Out((2, 16, lanes), i32), shared, ready, done):
    core = axis_index("core")
    sync_copy(x.at[core], shared)
    for s in static_range(16):
      semaphore_signal(ready, device_id={"core": core, "subcore": s})
    semaphore_wait(done, 16)
    sync_copy(shared, o.at[core])
  def compute(x, o, shared, ready, done):
    i = axis_index("subcore")
    with run_scoped(VMEM((lanes,), i32)) as tile:
      semaphore_wait(ready, 1)
      sync_copy(shared.at[i], tile)
      tile[...] = tile[...] * 2 + i
      sync_copy(tile, shared.at[i])
    semaphore_signal(done, core_index=axis_index("core"))
  kernel = mpmd_map([(s_mesh, fetch), (v_mesh, compute)], chip=chip, use_tc_tiling_on_sc=tiled,
                    scratch=[VMEM_SHARED((16, lanes), i32), SemaphoreType.REGULAR @ v_mesh, SemaphoreType.REGULAR @ s_mesh])
  x = reshape(arange(32 * lanes, dtype=i32), (2, 16, lanes))
  o = kernel(x)
  for c in range(2):
    for i in range(16):
      assert max_error(o[c, i], x[c, i] * 2 + i) == 0

# inventory: SC pl_kernel_in_shmap_explicit_mesh, copy_in_shard_map
def test_shard_map():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh("core", "subcore", num_cores=1, num_subcores=16))
  def rows(x: GMEM((16, lanes), i32), o: Out((16, lanes), i32)):
    i = axis_index("subcore")
    sync_copy(x.at[i], o.at[i])
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=VectorSubcoreMesh("core", "subcore", num_cores=1, num_subcores=1), scratch=[VMEM((1024, 16), i32)])
  def whole(x: GMEM((1024, 16), i32), o: Out((1024, 16), i32), tile):
    sync_copy(x, tile)
    sync_copy(tile, o)
  for devices in (1, 2, 4):
    x = reshape(arange(devices * 16 * lanes, dtype=i32), (devices * 16, lanes))
    assert max_error(shard_map(rows, devices)(x), x) == 0
    x = reshape(arange(devices * 1024 * 16, dtype=i32), (devices * 1024, 16))
    assert max_error(shard_map(whole, devices)(x), x) == 0

# Each device sends its rows to the next one.
def test_between_devices():
  for devices in (2, 4):
    @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=ScalarSubcoreMesh("core", num_cores=1), scratch=[SemaphoreType.DMA, SemaphoreType.DMA])
    def turn(x: GMEM((8, 128), i32), o: Out((8, 128), i32), sent, come):
      async_remote_copy(x, o, sent, come, (device_id() + 1) % devices).wait()
    x = reshape(arange(devices * 8 * 128, dtype=i32), (devices * 8, 128))
    o = shard_map(turn, devices)(x)
    for d in range(devices):
      before = (d + devices - 1) % devices
      assert max_error(o[8 * d:8 * d + 8], x[8 * before:8 * before + 8]) == 0

# The same in steps: the kernel makes the copy, starts it, and waits for each of its semaphores separately.
def test_ring_in_steps():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, mesh=ScalarSubcoreMesh("core", num_cores=1), scratch=[SemaphoreType.DMA, SemaphoreType.DMA])
  def turn(x: GMEM((8, 128), i32), o: Out((8, 128), i32), sent, come):
    copy = make_async_remote_copy(x, o, sent, come, (device_id() + 1) % 2)
    copy.start()
    copy.wait_send()
    copy.wait_recv()
  x = reshape(arange(2 * 8 * 128, dtype=i32), (16, 128))
  o = shard_map(turn, 2)(x)
  assert max_error(o[:8], x[8:]) == 0 and max_error(o[8:], x[:8]) == 0

# A reduce-scatter: in a ring of devices, the scalar subcores send and the vector subcores add, as in JAX's distributed
# test of parallel functions. But here a device sends again only after the next device has read the last data.
def test_reduce_scatter():
  for devices in (2, 4):
    cores = 2
    size = 64
    scalars = ScalarSubcoreMesh("core", num_cores=cores)
    vectors = VectorSubcoreMesh("core", "subcore", num_cores=cores, num_subcores=1)
    def meet(mine, of_scalars, of_vectors):
      for d in static_range(devices):
        for c in static_range(cores):
          semaphore_signal(of_scalars, device_id={"x": d, "core": c})
          semaphore_signal(of_vectors, device_id={"x": d, "core": c, "subcore": 0})
      semaphore_wait(mine, 2 * devices * cores)
    def send_on(x: GMEM((cores, devices, size), i32), o: Out((cores, size), i32), out, come, to_scalars, to_vectors, all_scalars, all_vectors, free):
      meet(all_scalars, all_scalars, all_vectors)
      me = device_id()
      with run_scoped(SemaphoreType.DMA, SemaphoreType.DMA) as (sent, received):
        async_copy(x.at[axis_index("core"), (me - 1) % devices], out, sent).wait()
        for i in range(1, devices):
          async_remote_copy(out, come, sent, received, {"x": (1 + me) % devices}).wait()
          semaphore_signal(to_vectors, device_id={"subcore": 0})
          semaphore_wait(to_scalars, 1)
          semaphore_wait(free, 1)
    def add_up(x, o, out, come, to_scalars, to_vectors, all_scalars, all_vectors, free):
      meet(all_vectors, all_scalars, all_vectors)
      core = axis_index("core")
      me = device_id()
      with run_scoped(VMEM((size,), i32), VMEM((size,), i32)) as (total, places):
        for i in parallel_loop(0, size, lanes):
          places[ds(i, lanes)] = arange(lanes, dtype=i32) + i
        for i in range(1, devices):
          sync_copy(x.at[core, (me - i - 1) % devices], total)
          semaphore_wait(to_vectors, 1)
          sync_copy(come.at[places], total, add=True)
          semaphore_signal(free, device_id={"x": (me - 1) % devices, "core": core})
          sync_copy(total, out)
          semaphore_signal(to_scalars)
        sync_copy(total, o.at[core])
    kernel = mpmd_map([(scalars, send_on), (vectors, add_up)], chip=chip, use_tc_tiling_on_sc=tiled,
                      scratch=[VMEM_SHARED((size,), i32), VMEM_SHARED((size,), i32), SemaphoreType.REGULAR @ scalars, SemaphoreType.REGULAR @ vectors,
                               SemaphoreType.REGULAR @ scalars, SemaphoreType.REGULAR @ vectors, SemaphoreType.REGULAR @ scalars])
    x = reshape(arange(devices * cores * devices * size, dtype=i32), (devices * cores, devices, size))
    o = shard_map(kernel, devices)(x)
    for d in range(devices):
      for c in range(cores):
        expected = zeros((size,), i32)
        for e in range(devices):
          expected = expected + x[e * cores + c, d]
        assert max_error(o[d * cores + c], expected) == 0

# inventory: SC select_ref
def test_select_ref():
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, in_specs=[hbm, hbm, hbm, hbm], out_specs=hbm)
  def kernel(a: GMEM((8, 128), i32), b: GMEM((8, 128), i32), c: GMEM((8, 128), i32), d: GMEM((8, 128), i32), o: Out((32, 128), i32)):
    with run_scoped(SemaphoreType.DMA((2,))) as sem:
      for i in range(4):
        async_copy(select_ref(i, a, b, c, d), o.at[ds(8 * i, 8)], select_ref(i % 2, sem.at[0], sem.at[1])).wait()
  x = reshape(arange(32 * 128, dtype=i32), (32, 128))
  assert max_error(kernel(x[:8], x[8:16], x[16:24], x[24:]), x) == 0

# inventory: SC basic_async_kernel
def test_started_in_one_kernel_and_awaited_in_another():
  for rows in (8, 16):
    for columns in (128, 256, 512, 1024):
      for dtype in (i32, f32, bf16):
        shape = (rows, columns)
        settings = [hbm, hbm, dma]
        @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, core="scalar", in_specs=settings)
        def start(x: GMEM(shape, dtype), y: InOut(shape, dtype), sem: InOut((1,), i32)):
          make_async_copy(x, y, sem.at[0]).start()
        @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, core="scalar", in_specs=settings)
        def finish(x: GMEM(shape, dtype), y: InOut(shape, dtype), sem: InOut((1,), i32)):
          make_async_copy(x, y, sem.at[0]).wait()
        x = reshape(arange(rows * columns, dtype=f32), shape).astype(dtype)
        y, sem = start(x, zeros(shape, dtype), zeros((1,), i32))
        assert sem[0] == rows * columns * (2 if dtype == bf16 else 4)
        y, sem = finish(x, y, sem)
        assert max_error(y, x) == 0 and sem[0] == 0

# inventory: SC memory_space_annotations_aliased_input_core_map
def test_memories_of_operands():
  smem = BlockSpec(memory_space=SMEM)
  @sc_kernel(chip=chip, use_tc_tiling_on_sc=tiled, core="scalar", in_specs=[hbm, smem, hbm, dma])
  def fetch(x: GMEM((2, 8, 128), f32), index: GMEM((8,), i32), y: InOut((8, 128), f32), sem: InOut((1,), i32)):
    async_copy(x.at[index[0]], y, sem.at[0]).wait()
  x = reshape(arange(2 * 8 * 128, dtype=f32), (2, 8, 128))
  y = x[0] * -1
  sem = zeros((1,), i32)
  index = zeros((8,), i32)
  for k in range(2):
    y, sem = fetch(x, index, y, sem)
    assert max_error(y, x[k]) == 0 and sem[0] == 0
    index = index + 1

test_names()
test_mpmd_print()
test_mpmd_together()
test_shard_map()
test_between_devices()
test_ring_in_steps()
test_reduce_scatter()
test_select_ref()
test_started_in_one_kernel_and_awaited_in_another()
test_memories_of_operands()
