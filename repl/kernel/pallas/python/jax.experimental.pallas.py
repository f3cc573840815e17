# What kernels of every target use of Pallas. `when`, `loop` and `run_state` are the language's `if`, `for` and scopes.

def cdiv(a, b):
  """a / b, rounded up."""
  return (a + b - 1) // b

def next_power_of_2(x):
  power = 1
  for _ in static_range(63):
    if power < x:
      power = power * 2
  return power

def strides_from_shape(shape):
  out, step = [], 1
  for size in reversed(shape):
    out = [step] + out
    step = step * size
  return tuple(out)

def when(condition):
  """`@pl.when(condition)` above a function: it runs where the condition holds."""
  def decorate(body):
    if condition:
      body()
  return decorate

def loop(lower, upper, *, step=1, init_carry=None, unroll=None):
  """`@pl.loop(lower, upper)` above a function of the index: it runs for each; with a carry it takes and returns it."""
  if _on_subcore():
    if init_carry is None:
      return _subcore_loop(lower, upper, step=step)
    return _subcore_loop(lower, upper, step=step, init_carry=init_carry)
  def decorate(body):
    if init_carry is None:
      if unroll is True:
        for i in static_range(lower, upper, step):
          body(i)
      else:
        for i in range(lower, upper, step):
          body(i)
      return None
    carried = _tuples(init_carry)
    for i in range(lower, upper, step):
      carried = _tuples(body(i, _restored(carried, init_carry)))
    return _restored(carried, init_carry)
  return decorate

def run_state(body):
  """A function of values: it puts them into references, calls `body` with these, and gives what they hold then."""
  def run(*inits):
    tree = inits[0] if len(inits) == 1 else inits
    if not _in_kernel():
      return run_state_of_host(body if len(inits) == 1 else lambda refs: body(*refs), tree)
    values = leaves(tree)
    def scoped(*refs):
      for ref, value in zip(refs, values):
        start = getattr(value, "initial", value)
        if start is not None:
          ref[...] = start
      body(treeof(tree, refs)) if len(inits) == 1 else body(*treeof(tree, refs))
      return tuple([ref[...] for ref in refs])
    found = run_scoped(scoped, *[getattr(value, "spec", value) for value in values])
    return treeof(tree, found)
  return run

def run_state_of_host(body, tree):
  """The same outside of kernels: mutable arrays, which a `core_map` in `body` works on."""
  import jax
  refs = [jax.new_ref(value) for value in leaves(tree)]
  body(treeof(tree, refs))
  return treeof(tree, [ref[...] for ref in refs])

def core_map(mesh, *, compiler_params=None, interpret=False, debug=False, cost_estimate=None, name=None, metadata=None,
             scratch_types=(), scratch_shapes=()):
  """`@pl.core_map(mesh)` above a function: in a kernel each warp of a `plgpu.WarpMesh` runs it; outside of kernels it is a
  kernel over a `plgpu.Mesh`, on the mutable arrays that it closes over."""
  if _in_kernel():
    return _core_map(mesh)
  if not hasattr(mesh, "grid_names"):
    raise TypeError("outside of kernels, `core_map` takes a `plgpu.Mesh(grid=…, grid_names=…)`")
  from jax.experimental.pallas import mosaic_gpu as plgpu
  def decorate(body):
    arrays = _live_refs()
    def whole(*references):
      _bind(arrays, tuple(references[:len(arrays)]))
      body(*references[len(arrays):])
      _bind(arrays, ())
    plgpu.kernel(whole, out_type=(), scratch_types=scratch_types if scratch_types != () else scratch_shapes, grid=mesh.grid,
                 grid_names=mesh.grid_names, cluster=mesh.cluster, cluster_names=mesh.cluster_names,
                 num_threads=mesh.num_threads, thread_name=mesh.thread_name, compiler_params=compiler_params,
                 name=name if name is not None else mesh.kernel_name)(*arrays)
  return decorate

def kernel(body=None, out_type=(), *, mesh, scratch_types=(), compiler_params=None, interpret=False, cost_estimate=None,
           debug=False, name=None, metadata=None):
  """A kernel over a `plgpu.Mesh`, as `plgpu.kernel` makes it of the mesh's arguments."""
  from jax.experimental.pallas import mosaic_gpu as plgpu
  if isinstance(mesh, (tuple, list)) or not hasattr(mesh, "grid_names"):
    raise NotImplementedError("one body over one `plgpu.Mesh` is a kernel here; those of SparseCores are made by `plsc.kernel` of `jax.experimental.pallas.tpu_sc`")
  def make(body):
    return plgpu.kernel(body, out_type=out_type, scratch_types=scratch_types, grid=mesh.grid, grid_names=mesh.grid_names,
                        cluster=mesh.cluster, cluster_names=mesh.cluster_names, num_threads=mesh.num_threads,
                        thread_name=mesh.thread_name, compiler_params=compiler_params,
                        name=name if name is not None else mesh.kernel_name)
  return make if body is None else make(body)

def with_scoped(*types, collective_axes=(), **named):
  """`@pl.with_scoped(plgpu.SMEM(…))` above a function: its last parameters are allocated for each call."""
  def decorate(body):
    def call(*arguments, **options):
      def inside(*scratch, **named_scratch):
        return body(*arguments, *scratch, **options, **named_scratch)
      return run_scoped(inside, *types, **named)
    return call
  return decorate

def empty(shape, dtype):
  import jax.numpy as jnp
  return jnp.zeros(shape, dtype)

def empty_like(x):
  import jax.numpy as jnp
  return map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), x)

def align_to(x, a):
  """x, rounded up to a multiple of a."""
  return cdiv(x, a) * a

def broadcast_to(x, shape):
  import jax.numpy as jnp
  return jnp.broadcast_to(x, shape)

def debug_check(condition, message):
  """Nothing: the emulator checks memory and barriers; values are checked on the host."""

def delay(nanos):
  """Nothing: `lanescope run --seed` tries other schedules."""

def treeof(tree, values):
  waiting = list(values)
  def following(_):
    return waiting.pop(0)
  return map(following, tree)

def load(ref, idx=(), mask=None, other=None):
  """The part of a reference."""
  if mask is not None:
    raise NotImplementedError("loads have no mask on this target; choose with `jnp.where` after the load")
  return ref[idx if idx != () else Ellipsis_]

def store(ref, idx, value, mask=None):
  """Writes a part of a reference."""
  if mask is not None:
    raise NotImplementedError("stores have no mask on this target; store under `pl.when`")
  ref[idx] = value

Ellipsis_ = ...

class CostEstimate:
  """What a kernel costs; it is not used."""
  def __init__(self, flops=0, transcendentals=0, bytes_accessed=0):
    self.flops = flops

class GridSpec:
  """The grid and the blocks of a `pallas_call`."""
  def __init__(self, grid=(), in_specs=None, out_specs=None, scratch_shapes=()):
    self.grid = grid
    self.in_specs = in_specs
    self.out_specs = out_specs
    self.scratch_shapes = scratch_shapes

ANY = "ANY"
squeezed = None

def with_memory_space_constraint(x, memory_space):
  return x

def reciprocal(x, approx=False):
  return 1 / x

def pallas_call(kernel, out_shape=None, *, grid_spec=None, grid=(), in_specs=None, out_specs=None, scratch_shapes=(),
                compiler_params=None, name=None, interpret=False, debug=False, cost_estimate=None,
                input_output_aliases=None, backend=None, metadata=None, out_type=None):
  """A kernel over blocks: called with arrays, it runs `kernel(*blocks, *output blocks, *scratch)` for each place of the
  grid; what `in_specs` name is copied to shared memory before, `out_specs` back after it."""
  import jax
  from jax.experimental.pallas import mosaic_gpu as plgpu
  check_parallel(compiler_params)
  if out_shape is None and out_type is None:
    raise TypeError("`pallas_call` needs `out_shape=jax.ShapeDtypeStruct(shape, dtype)`, the shape and dtype of what it gives")
  out_shape = out_type if out_shape is None else out_shape
  if grid_spec is not None:
    grid, scratch_shapes = grid_spec.grid, grid_spec.scratch_shapes
    in_specs, out_specs = grid_spec.in_specs, grid_spec.out_specs
  grid = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
  axes = tuple([f"pallas_axis{i}" for i in static_range(len(grid))])
  several = isinstance(out_shape, (tuple, list))
  outs = list(out_shape) if several else [out_shape]
  sources = {} # of outputs that are written over an operand: output -> operand
  for operand, output in dict(input_output_aliases if input_output_aliases else {}).items():
    sources[output] = operand
  new = [i for i in range(len(outs)) if i not in sources]
  def call(*operands):
    check_aliases(sources, operands, outs)
    ins = [None] * len(operands) if in_specs is None else list(in_specs)
    if len(ins) != len(operands):
      raise ValueError(f"there are {len(ins)} in_specs for {len(operands)} operands")
    wrote = list(out_specs) if isinstance(out_specs, (tuple, list)) else [out_specs] * len(outs)
    specs = ins + wrote
    def body(*refs):
      places = tuple([axis_index(axis) for axis in axes])
      operand_refs, scratch = refs[:len(ins)], refs[len(ins) + len(new):]
      arrays = list(operand_refs) + [operand_refs[sources[i]] if i in sources else refs[len(ins) + new.index(i)]
                                     for i in static_range(len(outs))]
      parts = [ref if whole(spec) else ref.at[block_of(spec, places)] for spec, ref in zip(specs, arrays)]
      fetched = [i for i, spec in enumerate(specs) if i < len(ins) and staged(spec)]
      stored = [i for i, spec in enumerate(specs) if i >= len(ins) and staged(spec)]
      def scoped(*memory):
        buffers, barriers = memory[:len(fetched) + len(stored)], memory[len(fetched) + len(stored):]
        given = list(parts)
        for buffer, i in zip(buffers, fetched + stored):
          given[i] = buffer
        if len(fetched) > 0:
          for i in fetched:
            plgpu.copy_gmem_to_smem(parts[i], given[i], barriers[0])
          plgpu.barrier_wait(barriers[0])
        kernel(*given, *scratch)
        if len(stored) > 0:
          plgpu.commit_smem()
          for i in stored:
            plgpu.copy_smem_to_gmem(given[i], parts[i])
          plgpu.wait_smem_to_gmem(0)
      if len(fetched) + len(stored) == 0:
        kernel(*parts, *scratch)
        return
      allocations = [plgpu.SMEM(parts[i].shape, parts[i].dtype, transforms=specs[i]["transforms"])
                     for i in fetched + stored]
      if len(fetched) > 0:
        allocations.append(plgpu.Barrier(num_arrivals=len(fetched)))
      run_scoped(scoped, *allocations)
    made = plgpu.kernel(body, out_type=tuple([outs[i] for i in new]), scratch_types=scratch_shapes, grid=grid if len(grid) > 0 else (1,),
                        grid_names=axes if len(grid) > 0 else ("pallas_axis0",), compiler_params=compiler_params,
                        name=name if name is not None else getattr(kernel, "__name__", "kernel"))
    written = {operand: jax.new_ref(operands[operand]) for operand in sources.values()}
    results = made(*[written[i] if i in written else operand for i, operand in enumerate(operands)])
    found = [written[sources[i]][...] if i in sources else results[new.index(i)] for i in range(len(outs))]
    return (tuple(found) if isinstance(out_shape, tuple) else found) if several else found[0]
  return call

def check_aliases(sources, operands, outs):
  for output, operand in sources.items():
    if operand not in range(len(operands)) or output not in range(len(outs)):
      raise ValueError(f"input_output_aliases={{{operand}: {output}}}: there are {len(operands)} operands and {len(outs)} outputs")
    given, wanted = operands[operand], outs[output]
    if given.shape != wanted.shape or given.dtype != wanted.dtype:
      raise ValueError(f"input_output_aliases={{{operand}: {output}}}: operand {operand} is {given.dtype}{list(given.shape)}, "
                       + f"output {output} is {wanted.dtype}{list(wanted.shape)}; what is written in place has one shape and dtype")

def check_parallel(compiler_params):
  semantics = getattr(compiler_params, "dimension_semantics", None)
  for one in () if semantics is None else semantics:
    if one not in ("parallel", "sequential", "arbitrary"):
      raise ValueError(f"a dimension is \"parallel\" or \"sequential\", not {one!r}")
    if one != "parallel":
      raise NotImplementedError("each place of the grid is a block here, all side by side: what runs one after the other is a `plgpu.emit_pipeline` in the kernel")

def whole(spec):
  return spec is None or spec["block_shape"] is None

def staged(spec):
  """Whether a block, or a whole array of SMEM, is copied to shared memory; all else stays in global memory."""
  from jax.experimental.pallas import mosaic_gpu as plgpu
  if spec is None:
    return False
  space = spec["memory_space"]
  return space is plgpu.SMEM or space is plgpu.MemorySpace.SMEM or (space is None and not whole(spec))

def block_of(spec, places):
  found = spec["index_map"](*places)
  found = found if isinstance(found, tuple) else (found,)
  index = []
  for size, place in zip(spec["block_shape"], found):
    if size is None:
      index.append(place)
    elif isinstance(size, dict):
      index.append(ds(place, size["element"]))
    else:
      index.append(ds(place * size, size))
  return tuple(index)

class DeviceIdType:
  """How a device is named: by its places along the mesh's axes, or by its number."""
  MESH = "mesh"
  LOGICAL = "logical"
