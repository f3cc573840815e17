# What kernels of Mosaic GPU use beside the builtins.

class CompilerParams:
  """How a kernel is compiled: `approx_math` takes the hardware's fast forms of functions."""
  def __init__(self, approx_math=False, dimension_semantics=None, max_concurrent_steps=1, unsafe_no_auto_barriers=False,
               reduction_scratch_bytes=None, profile_space=0, profile_dir="", profile_trace_scope=None,
               profile_bounds_check=None, lowering_semantics=None, **others):
    for name in others:
      if name == "delay_release":
        raise ValueError("`delay_release` is an argument of `plgpu.BlockSpec`")
      raise ValueError(f"there is no compiler parameter {name}")
    self.approx_math = approx_math
    self.max_concurrent_steps = max_concurrent_steps
    self.dimension_semantics = dimension_semantics
    self.lowering_semantics = lowering_semantics

GPUCompilerParams = CompilerParams

class LoweringSemantics:
  Lane = "Lane"
  Warpgroup = "Warpgroup"

GMEM = "GMEM"

def transpose_ref(ref, permutation):
  """The reference with its dimensions in another order."""
  return ref.transpose(permutation)

def reshape_ref(ref, *shape):
  """The reference to the same elements under another shape."""
  return ref.reshape(*shape)

def warp_map(body=None, *, name=None):
  """`@plgpu.warp_map` above a function: each warp of the warpgroup runs it with its number."""
  if body is None:
    return lambda body: warp_map(body, name=name)
  core_map(WarpMesh(axis_name="the warp of warp_map"))(lambda: body(axis_index("the warp of warp_map")))

class Mesh:
  """What a kernel runs over: a grid of blocks, clusters of them, and the warpgroups of a block."""
  def __init__(self, grid=(), grid_names=(), cluster=(), cluster_names=(), num_threads=None, thread_name=None,
               kernel_name=None):
    if len(grid) != len(grid_names):
      raise ValueError(f"grid has {len(grid)} dimensions, and grid_names {len(grid_names)} names")
    if len(cluster) != len(cluster_names):
      raise ValueError(f"cluster has {len(cluster)} dimensions, and cluster_names {len(cluster_names)} names")
    if (num_threads is None) != (thread_name is None):
      raise ValueError("num_threads and thread_name are given together")
    self.grid = tuple(grid)
    self.grid_names = tuple(grid_names)
    self.cluster = tuple(cluster)
    self.cluster_names = tuple(cluster_names)
    self.num_threads = num_threads
    self.thread_name = thread_name
    self.kernel_name = kernel_name
    self.shape = {name: size for name, size in zip(self.grid_names + self.cluster_names, self.grid + self.cluster)}
    if num_threads is not None:
      self.shape[thread_name] = num_threads

class OOBFillMode:
  """What a copy reads over the end of an array: zeros, whatever is said."""
  UNDEFINED = "undefined"
  PROMISE_IN_BOUNDS = "promise_in_bounds"
  ZEROS = "zeros"

class TraceScope:
  WARP = "warp"
  WARPGROUP = "warpgroup"

REGS = "REGS"

def transform_ref(ref, transform):
  raise NotImplementedError("`ref.at[…]`, `ref.T`, `ref.transpose(…)` and `ref.reshape(…)` are the views of a reference here")

class ShapeDtypeStruct:
  """What `inline_mgpu` gives: an array of this shape and dtype, in this layout."""
  def __init__(self, shape, dtype, layout=None):
    self.shape = tuple(shape)
    self.dtype = dtype
    self.layout = layout

class RefType:
  """An argument of `inline_mgpu` that is a reference."""
  def __init__(self, transforms=()):
    self.transforms = tuple(transforms)

class _InlineContext:
  """The first argument of what `inline_mgpu` wraps."""

def inline_mgpu(*, arg_types=(), return_type=None):
  """Above a function of a context, arrays and references: its body runs as it stands, its arrays in the layouts that are named."""
  def decorate(function):
    def run(*arguments):
      if len(arguments) != len(arg_types):
        raise TypeError(f"the function has {len(arg_types)} arg_types, and gets {len(arguments)} arguments")
      given = [x if kind is None or isinstance(kind, RefType) else layout_cast(x, kind)
               for x, kind in zip(arguments, arg_types)]
      return _returned(function(_InlineContext(), *given), return_type)
    return run
  return decorate

def _returned(value, kind):
  if isinstance(kind, (tuple, list)):
    return tuple([_returned(part, each) for part, each in zip(value, kind)])
  return value if kind is None or kind.layout is None else layout_cast(value, kind.layout)

def cluster_ref(ref, block_id):
  """The same place in the shared memory of another block of the cluster: `cluster_ref(tile, {"x": 1})`."""
  return _cluster_ref(ref, **block_id)

def async_store_smem(src, ref, barrier, *, cluster_idx, cluster_dim, optimized=True, atomic=None):
  """Sends an array to `ref` in the shared memory of another block of the cluster; `barrier` there counts it."""
  if atomic is not None:
    raise NotImplementedError("`async_store_smem` overwrites here; `atomic` is not among what it does")
  _async_store_smem(src, ref, barrier, **{cluster_dim: cluster_idx})

def as_torch_kernel(*arguments, **named):
  raise NotImplementedError("kernels are called with arrays of NumPy and JAX here")

class BarrierType:
  pass
