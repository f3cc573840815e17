"""Declarations for SparseCore kernels: meshes of subcores, memory, semaphores."""

import collections
import dataclasses
import enum

from .. import _native
from . import dtypes as dt
from . import missing
from .arrays import plain_shape
from .chips import get_sparse_core_info
from .memory import MemoryRef
from .transforms import ShapeDtypeStruct

__getattr__ = missing("jax._src.pallas.mosaic.sc_core")


class CoreType(enum.Enum):
    TC = "tc"
    SC_SCALAR_SUBCORE = "sc_scalar_subcore"
    SC_VECTOR_SUBCORE = "sc_vector_subcore"

    def __str__(self):
        return self.value

    __repr__ = __str__


class GridDimensionSemantics(enum.Enum):
    PARALLEL = "parallel"
    CORE_PARALLEL = "core_parallel"
    SUBCORE_PARALLEL = "subcore_parallel"
    ARBITRARY = "arbitrary"


# --- meshes ----------------------------------------------------------------------------------------------------------


def _check_cores(mesh):
    has = get_sparse_core_info().num_cores
    if mesh.num_cores > has:
        raise ValueError(f"Mesh has {mesh.num_cores} cores, but the current TPU chip has only {has} SparseCores")


class SubcoreMesh:
    """The base class of both kinds of meshes."""

    core_type = None
    default_memory_space = property(lambda self: MemorySpace.HBM)
    size = property(lambda self: self.num_cores * getattr(self, "num_subcores", 1))

    def __rmatmul__(self, other):
        return NotImplemented


@dataclasses.dataclass(frozen=True, kw_only=True)
class ScalarSubcoreMesh(SubcoreMesh):
    """The scalar subcores of a chip's SparseCores."""

    axis_name: str
    num_cores: int = dataclasses.field(default_factory=lambda: get_sparse_core_info().num_cores)
    core_type = CoreType.SC_SCALAR_SUBCORE

    def __post_init__(self):
        _check_cores(self)

    shape = property(lambda self: collections.OrderedDict({self.axis_name: self.num_cores}))
    dimension_semantics = property(lambda self: [GridDimensionSemantics.CORE_PARALLEL])
    supported_memory_spaces = property(lambda self: [MemorySpace.VMEM_SHARED, MemorySpace.SMEM, MemorySpace.SEMAPHORE])

    def __lanescope__(self):
        return _native.builtin("ScalarSubcoreMesh")(axis_name=self.axis_name, num_cores=self.num_cores)


@dataclasses.dataclass(frozen=True, kw_only=True)
class VectorSubcoreMesh(SubcoreMesh):
    """The vector subcores of a chip's SparseCores."""

    core_axis_name: str
    subcore_axis_name: str
    num_cores: int = dataclasses.field(default_factory=lambda: get_sparse_core_info().num_cores)
    num_subcores: int = dataclasses.field(default_factory=lambda: get_sparse_core_info().num_subcores)
    core_type = CoreType.SC_VECTOR_SUBCORE

    def __post_init__(self):
        _check_cores(self)
        has = get_sparse_core_info().num_subcores
        if self.num_subcores > has:
            raise ValueError(f"Mesh has {self.num_subcores} subcores, but the current TPU chip has only {has} subcores")

    shape = property(lambda self: collections.OrderedDict({self.core_axis_name: self.num_cores, self.subcore_axis_name: self.num_subcores}))
    dimension_semantics = property(lambda self: [GridDimensionSemantics.CORE_PARALLEL, GridDimensionSemantics.SUBCORE_PARALLEL])
    supported_memory_spaces = property(
        lambda self: [MemorySpace.VMEM, MemorySpace.VMEM_SHARED, MemorySpace.SMEM, MemorySpace.SEMAPHORE]
    )

    def __lanescope__(self):
        return _native.builtin("VectorSubcoreMesh")(
            core_axis_name=self.core_axis_name, subcore_axis_name=self.subcore_axis_name, num_cores=self.num_cores,
            num_subcores=self.num_subcores,
        )  # fmt: skip


# --- memory ----------------------------------------------------------------------------------------------------------


class TpuMemoryRef(MemoryRef):
    """`pltpu.VMEM((16,), jnp.int32)`. With `@ mesh`, the memory belongs to the mesh's subcores."""

    def __matmul__(self, mesh):
        if not isinstance(mesh, SubcoreMesh):
            return NotImplemented
        return TpuMemoryRef(self.inner_aval, self.memory_space, self._value @ mesh.__lanescope__())


class MemorySpace(enum.Enum):
    VMEM = "vmem"
    VMEM_SHARED = "vmem_shared"
    SMEM = "smem"
    CMEM = "cmem"
    SEMAPHORE = "semaphore_mem"
    HBM = "hbm"
    HOST = "host"

    def __str__(self):
        return self.value

    def __repr__(self):
        return self.name

    def __call__(self, shape, dtype):
        if self in (MemorySpace.CMEM, MemorySpace.SEMAPHORE):
            return missing("pltpu")(f"{self.name}(…)")
        shape, dtype = plain_shape(shape), dt.canonicalize_dtype(dtype)
        return TpuMemoryRef.of(self, shape, dtype, _native.builtin(self.name)(shape, dtype) if 0 not in shape and shape else None)

    def like(self, x):
        return self(x.shape, x.dtype)

    def from_type(self, type):
        return self(type.shape, type.dtype)

    def __lanescope__(self):
        return _native.builtin(self.name)


class SemaphoreType(enum.Enum):
    REGULAR = "regular"
    DMA = "dma"
    BARRIER = "barrier"

    def _kind(self):
        return getattr(_native.builtin("SemaphoreType"), "DMA" if self is SemaphoreType.DMA else "REGULAR")

    def __call__(self, shape=()):
        shape = plain_shape(shape)
        made = TpuMemoryRef(ShapeDtypeStruct(shape, "int32"), MemorySpace.SEMAPHORE, self._kind()(shape))
        made.semaphore = self
        return made

    def __matmul__(self, mesh):
        return self(()) @ mesh

    def __lanescope__(self):
        return self._kind()


def place_of(space, semaphore=None):
    """The native name of the memory that holds a kernel's array; None means HBM."""
    name = getattr(space, "name", None)
    if name == "SEMAPHORE":
        return (semaphore or SemaphoreType.REGULAR)._kind()
    return _native.builtin(name) if name in ("SMEM", "VMEM", "VMEM_SHARED", "HOST") else None


def supported_shapes(dtype):
    """The shapes that a register may have for elements of a dtype."""
    lanes, size = get_sparse_core_info().num_lanes, dt.dtype(dtype).itemsize
    if size > 4:
        raise ValueError(f"Unsupported dtype: {dtype}")
    packed = 4 // size
    return [(lanes,)] if packed == 1 else [(lanes * packed,), (packed, lanes)]


@dataclasses.dataclass(frozen=True)
class Indices:
    """The row numbers for a copy. The copy skips rows whose number is `ignored_value`."""

    values: object
    ignored_value: int | None = None

    def __lanescope__(self):
        return _native.builtin("Indices")(self.values, ignored_value=self.ignored_value)
