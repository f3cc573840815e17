# What kernels of Mosaic GPU use beside the builtins.

class CompilerParams:
  """How a kernel is compiled: `approx_math` takes the hardware's fast forms of functions."""
  def __init__(self, approx_math=False, dimension_semantics=None, max_concurrent_steps=1, unsafe_no_auto_barriers=False,
               reduction_scratch_bytes=None, profile_space=0, profile_dir="", lowering_semantics=None, **others):
    for name in others:
      raise ValueError(f"there is no compiler parameter {name}")
    self.approx_math = approx_math
    self.max_concurrent_steps = max_concurrent_steps

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

def warp_map(body=None, *, warp_axis=None, name=None):
  raise NotImplementedError("write `@pl.core_map(plgpu.WarpMesh(axis_name=\"warp\"))` above the function")

def inline_mgpu(*arguments, **named):
  raise NotImplementedError("a function needs no wrapper here; PTX is written with `plgpu.inline_ptx`")

def as_torch_kernel(*arguments, **named):
  raise NotImplementedError("kernels are called with arrays of NumPy and JAX here")

class BarrierType:
  pass
