class Array:
  """What JAX's arrays are, for `isinstance` and annotations."""

class ShapeDtypeStruct:
  """The shape and dtype of an array that is not there yet."""
  def __init__(self, shape, dtype, sharding=None, weak_type=False):
    import jax.numpy as jnp
    self.shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for size in self.shape:
      if not isinstance(size, int) or size < 0:
        raise TypeError(f"a shape is made of ints, not {size!r}")
    self.dtype = jnp.dtype(dtype)
    self.ndim = len(self.shape)
    self.size = product(self.shape)
  def __repr__(self):
    return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype})"

def product(sizes):
  total = 1
  for size in sizes:
    total = total * size
  return total

def jit(fun=None, **options):
  """The function as it is: kernels are compiled when they are called."""
  _note_jit()
  if fun is None:
    def decorate(fun):
      return fun
    return decorate
  return fun

__version__ = "0.11.2"
__version_info__ = (0, 11, 2)

def block_until_ready(x):
  """x: a call of a kernel returns when it has run."""
  return x

def device_put(x, device=None):
  """x as an array of JAX."""
  import jax.numpy as jnp
  import jax
  return jax.tree.map(jnp.asarray, x)

def device_get(x):
  """x as an array of NumPy."""
  import numpy as np
  import jax
  return jax.tree.map(np.asarray, x)

def eval_shape(fun, *args, **named):
  """Shapes and dtypes of what a function gives, by calling it with zeros."""
  import jax
  import jax.numpy as jnp
  def zeros(x):
    return jnp.zeros(x.shape, x.dtype) if isinstance(x, ShapeDtypeStruct) else x
  out = fun(*[jax.tree.map(zeros, x) for x in args], **{name: jax.tree.map(zeros, x) for name, x in named.items()})
  return jax.tree.map(lambda x: ShapeDtypeStruct(jnp.shape(x), jnp.asarray(x).dtype), out)

def P(*parts):
  """`jax.sharding.PartitionSpec`"""
  from jax.sharding import PartitionSpec
  return PartitionSpec(*parts)

def checkpoint(fun, **options):
  return fun

remat = checkpoint

def typeof(x):
  """Shape and dtype of an array."""
  return ShapeDtypeStruct(x.shape, x.dtype)

def effects_barrier():
  """Nothing: a call of a kernel returns when it has run."""

def clear_caches():
  """Nothing: compiled kernels are kept by what they are made of."""

def named_call(fun, name=None):
  return fun

class _Region:
  def __enter__(self):
    return None
  def __exit__(self, kind, value, traceback):
    return None
  def __call__(self, function):
    return function

def default_matmul_precision(name):
  """`with jax.default_matmul_precision("highest"):` changes nothing: products of the host are exact to the last bit."""
  return _Region()

def named_scope(name):
  """`with jax.named_scope("name"):`, or above a function: what it holds, in a region of the profile where it is traced."""
  return region(name) if _in_kernel() else _Region()

class _Device:
  def __init__(self, name, number):
    self.device_kind = name
    self.platform = "gpu"
    self.id = number
    self.process_index = 0
    self.compute_capability = "9.0"
    self.core_count = 132
  def __repr__(self):
    return f"CudaDevice(id={self.id})"

def devices(backend=None):
  """Eight devices, a node of them. A kernel runs on the first, or on those of the mesh of a `jax.shard_map`."""
  return [_Device("NVIDIA H200", number) for number in range(8)]

def local_devices():
  return devices()

def device_count(backend=None):
  return 8

def local_device_count(backend=None):
  return 8

def process_index(backend=None):
  return 0

def process_count(backend=None):
  return 1

def default_backend():
  return "gpu"

class _Config:
  def update(self, name, value):
    if name == "jax_enable_x64" and value:
      raise NotImplementedError("jax.numpy makes 32-bit arrays only; NumPy makes 64-bit ones")

config = _Config()
