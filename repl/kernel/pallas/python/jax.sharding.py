# Meshes of devices, and how arrays are split over them. Arrays here are whole: a sharding says how `jax.shard_map` cuts them.

_meshes = []

class _NoMesh:
  abstract_device = None
  empty = True
  axis_names = ()
  shape = {}

def get_abstract_mesh():
  """The mesh of the `with` or `jax.set_mesh` that one is in; one without axes where there is none."""
  return _meshes[-1] if len(_meshes) > 0 else _NoMesh()

class PartitionSpec:
  """For each dimension of an array the mesh's axis along which it is split, a tuple of axes, or None."""
  def __init__(self, *parts):
    self.parts = parts

class AxisType:
  Auto = "auto"
  Explicit = "explicit"
  Manual = "manual"

class Mesh:
  """Devices along named axes, the last of which varies fastest."""
  def __init__(self, devices, axis_names, axis_types=None):
    names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
    sizes, level, flat = [], devices, list(devices)
    while isinstance(level, (list, tuple)):
      if len(level) == 0:
        raise ValueError("a mesh has one device at least")
      sizes.append(len(level))
      level = level[0]
    for _ in static_range(len(sizes) - 1):
      flat = [device for row in flat for device in row]
    if len(sizes) != len(names):
      raise ValueError(f"the devices have {len(sizes)} dimensions, and there are {len(names)} names of axes")
    if [device.id for device in flat] != list(range(len(flat))):
      raise NotImplementedError("Mosaic GPU only supports meshes with device ordering that follows row-major device ids.")
    self.axis_names = names
    self.abstract_device = None
    self.empty = False
    self.devices = devices
    self.shape = {name: size for name, size in zip(names, sizes)}
    self.size = len(flat)
  def __enter__(self):
    _meshes.append(self)
    return self
  def __exit__(self, kind, value, traceback):
    _meshes.pop()
    return None

class NamedSharding:
  """How an array is split over a mesh."""
  def __init__(self, mesh, spec):
    self.mesh = mesh
    self.spec = spec

_resharded = [] # the latest arrays, and how they are split

def reshard(x, out_shardings):
  """x, whole as arrays are here. A `jax.shard_map` without `in_specs` cuts it as `out_shardings` says."""
  import jax
  import jax.numpy as jnp
  spec = getattr(out_shardings, "spec", out_shardings)
  def one(leaf):
    mine = jnp.array(leaf)
    _resharded.append((mine, spec))
    return mine
  out = jax.tree.map(one, x)
  while len(_resharded) > 256:
    _resharded.pop(0)
  return out

def spec_of(x):
  """How `reshard` has split the array; None where it has not."""
  for array, spec in reversed(_resharded):
    if array is x:
      return spec
  return None

class _Scope:
  def __init__(self, mesh):
    _meshes.append(mesh)
    self.mesh = mesh
  def __enter__(self):
    return self.mesh
  def __exit__(self, kind, value, traceback):
    _meshes.pop()
    return None

def set_mesh(mesh):
  """The mesh of every `jax.shard_map` that is given none."""
  return _Scope(mesh)

use_mesh = set_mesh

def current_mesh():
  return _meshes[-1] if len(_meshes) > 0 else None
