# Functions of Mosaic GPU that kernels use in addition to the builtins.

@dataclass
class CompilerParams:
  """Options of a kernel's compilation. `approx_math` uses the hardware's fast approximations of functions."""
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
  """A reference with another shape to the same elements."""
  return ref.reshape(*shape)

def warp_map(body=None, *, name=None):
  """`@plgpu.warp_map` above a function. Each warp of the warpgroup runs the function with the warp's number."""
  if body is None:
    return lambda body: warp_map(body, name=name)
  core_map(WarpMesh(axis_name="the warp of warp_map"))(lambda: body(axis_index("the warp of warp_map")))

def cluster_ref(ref, block_id):
  """A reference to the same place in another block's shared memory: `cluster_ref(tile, {"x": 1})`."""
  return _cluster_ref(ref, **block_id)

def async_store_smem(src, ref, barrier, *, cluster_idx, cluster_dim, optimized=True, atomic=None):
  """Sends an array to `ref` in another block's shared memory. The barrier of that block counts the bytes."""
  _async_store_smem(src, ref, barrier, atomic, **{cluster_dim: cluster_idx})
