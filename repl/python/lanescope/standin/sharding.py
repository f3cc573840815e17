"""Meshes of devices, and the split of arrays over them. An array is always kept as a whole here. Its sharding says
how `jax.shard_map` splits it."""

import enum

import numpy as np

from . import missing, tree
from .arrays import asarray

__getattr__ = missing("jax.sharding")
_meshes = []


class PartitionSpec(tuple):
    """For each dimension of an array, the mesh axis along which it is split, a tuple of axes, or None."""

    def __new__(cls, *parts):
        return super().__new__(cls, parts)

    def __repr__(self):
        return f"PartitionSpec{tuple(self)!r}"


class AxisType(enum.Enum):
    Auto = 0
    Explicit = 1
    Manual = 2


class ManualAxisType:
    """The mesh axes along which devices have different values of an array. Arrays here do not keep these axes."""

    def __init__(self, *, varying=frozenset(), unreduced=frozenset(), reduced=frozenset()):
        self.varying, self.unreduced, self.reduced = frozenset(varying), frozenset(unreduced), frozenset(reduced)


class Mesh:
    """Devices along named axes, the last of which varies fastest."""

    abstract_device = None
    empty = False

    def __init__(self, devices, axis_names, axis_types=None):
        devices = np.asarray(devices, object)
        self.axis_names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        if devices.ndim != len(self.axis_names):
            raise ValueError(f"the devices have {devices.ndim} dimensions, and there are {len(self.axis_names)} names of axes")
        if [device.id for device in devices.flat] != list(range(devices.size)):
            raise NotImplementedError("Mosaic GPU only supports meshes with device ordering that follows row-major device ids.")
        self.devices = devices
        self.shape = dict(zip(self.axis_names, devices.shape))
        self.axis_sizes = devices.shape
        self.size = devices.size

    def __enter__(self):
        _meshes.append(self)
        return self

    def __exit__(self, *_):
        _meshes.pop()

    def __repr__(self):
        return f"Mesh({', '.join(f'{name!r}: {size}' for name, size in self.shape.items())})"


class AbstractMesh(Mesh):
    """Named axes and their sizes, without devices. Kernels over it can be compiled: `jax.jit(f).trace(…).lower()`."""

    def __init__(self, axis_sizes, axis_names, axis_types=None):
        self.axis_sizes, self.axis_names = tuple(axis_sizes), tuple(axis_names)
        if len(self.axis_sizes) != len(self.axis_names):
            raise ValueError(f"there are {len(self.axis_sizes)} sizes of axes, and {len(self.axis_names)} names")
        self.shape = dict(zip(self.axis_names, self.axis_sizes))
        self.size = int(np.prod(self.axis_sizes))


class _NoMesh:
    abstract_device, empty, axis_names, shape, size = None, True, (), {}, 0


class Sharding:
    pass


class NamedSharding(Sharding):
    """The split of an array over a mesh."""

    def __init__(self, mesh, spec, **_):
        self.mesh, self.spec = mesh, spec


class SingleDeviceSharding(Sharding):
    def __init__(self, device=None, **_):
        self.device = device


def reshard(x, out_shardings):
    """Returns x as a whole array. A `jax.shard_map` without `in_specs` splits it as `out_shardings` says."""
    spec = getattr(out_shardings, "spec", out_shardings)

    def one(leaf):
        leaf = asarray(leaf)
        mine = type(leaf)(leaf._values, leaf.dtype, leaf.weak_type)
        mine._spec = spec
        return mine

    return tree.map(one, x)


def spec_of(x):
    """The split that `reshard` has given the array; None if there is none."""
    return getattr(x, "_spec", None)


class _Scope:
    def __init__(self, mesh):
        _meshes.append(mesh)
        self.mesh = mesh

    def __enter__(self):
        return self.mesh

    def __exit__(self, *_):
        _meshes.pop()


def set_mesh(mesh):
    """Sets the mesh of every `jax.shard_map` that has no mesh argument."""
    return _Scope(mesh)


use_mesh = use_abstract_mesh = set_mesh


def current_mesh():
    return _meshes[-1] if _meshes else None


def get_abstract_mesh():
    """The mesh of the surrounding `with` or of `jax.set_mesh`; a mesh without axes if there is none."""
    return _meshes[-1] if _meshes else _NoMesh()


get_mesh = get_abstract_mesh
