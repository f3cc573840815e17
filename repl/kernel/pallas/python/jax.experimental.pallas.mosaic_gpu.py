# What kernels of Mosaic GPU use beside the builtins.

@dataclass
class CompilerParams:
  """How a kernel is compiled: `approx_math` takes the hardware's fast forms of functions."""
  approx_math: bool = False
  dimension_semantics: object = None
  max_concurrent_steps: int = 1
  unsafe_no_auto_barriers: bool = False
  lowering_semantics: object = None

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

def cluster_ref(ref, block_id):
  """The same place in the shared memory of another block of the cluster: `cluster_ref(tile, {"x": 1})`."""
  return _cluster_ref(ref, **block_id)

def async_store_smem(src, ref, barrier, *, cluster_idx, cluster_dim, optimized=True, atomic=None):
  """Sends an array to `ref` in the shared memory of another block of the cluster; `barrier` there counts it."""
  _async_store_smem(src, ref, barrier, atomic, **{cluster_dim: cluster_idx})
