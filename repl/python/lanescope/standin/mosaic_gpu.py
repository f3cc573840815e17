"""`jax.experimental.pallas.mosaic_gpu`: kernels for NVIDIA's GPUs."""

import dataclasses
import enum
import functools
import operator
import re

import numpy as np

from .. import _builtins, _native
from .._errors import ArgumentValueError, Error
from . import MESSAGE, missing
from . import dtypes as dt
from .arrays import asarray, is_traced, wrapped
from .kernels import kernel, same_name  # noqa: F401
from .memory import ACC, MemorySpace, SemaphoreType  # noqa: F401
from .pallas import DeviceIdType
from .pipelines import NDLoopInfo, dynamic_scheduling_loop, emit_pipeline, emit_pipeline_warp_specialized, nd_loop  # noqa: F401
from .specs import BlockSpec  # noqa: F401

_MODULE = "jax.experimental.pallas.mosaic_gpu"
GMEM, SMEM, TMEM, REGS = MemorySpace
WGMMAAccumulatorRef = ACC
_absent = missing(_MODULE)


class LoweringSemantics(str, enum.Enum):
    Lane = "Lane"
    Warpgroup = "Warpgroup"


class TraceScope(str, enum.Enum):
    WARP = "warp"
    WARPGROUP = "warpgroup"


class OOBFillMode(str, enum.Enum):
    """The values that a copy reads beyond the end of an array. They are zeros in all modes."""

    UNDEFINED = "undefined"
    PROMISE_IN_BOUNDS = "promise_in_bounds"
    ZEROS = "zeros"


@dataclasses.dataclass(frozen=True, kw_only=True)
class CompilerParams:
    """Options of a kernel's compilation. `approx_math` uses the hardware's fast approximations of functions."""

    approx_math: bool = False
    dimension_semantics: tuple | None = None
    max_concurrent_steps: int = 1
    unsafe_no_auto_barriers: bool = False
    reduction_scratch_bytes: int = 2048
    profile_space: int = 0
    profile_dir: str = ""
    profile_trace_scope: TraceScope = TraceScope.WARPGROUP
    profile_bounds_check: bool = False
    lowering_semantics: LoweringSemantics = LoweringSemantics.Warpgroup

    def __post_init__(self):
        if self.dimension_semantics is not None:
            object.__setattr__(self, "dimension_semantics", tuple(self.dimension_semantics))
        if bool(self.profile_space) ^ bool(self.profile_dir):
            raise ValueError("Either both profile_space and profile_dir must be set, or neither.")

    replace = dataclasses.replace


GPUCompilerParams = CompilerParams


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mesh:
    """The threads that run a kernel: a grid of blocks, clusters of them, and the warpgroups of a block."""

    grid: tuple = ()
    grid_names: tuple = ()
    cluster: tuple = ()
    cluster_names: tuple = ()
    num_threads: int | None = None
    thread_name: str | None = None
    kernel_name: str | None = None

    def __post_init__(self):
        if len(self.cluster) != len(self.cluster_names):
            raise ValueError(f"cluster_names must have the same length as cluster, but got {self.cluster_names} and {self.cluster}")
        if len(self.grid) != len(self.grid_names):
            raise ValueError(f"grid_names must have the same length as grid, but got {self.grid_names} and {self.grid}")
        if (self.num_threads is None) != (self.thread_name is None):
            raise ValueError("num_threads and thread_name must be either both set or both None")

    @property
    def shape(self):
        shape = dict(zip((*self.grid_names, *self.cluster_names), (*self.grid, *self.cluster)))
        return shape if self.num_threads is None else shape | {self.thread_name: self.num_threads}

    def options(self):
        return {name: getattr(self, name) for name in ("grid", "grid_names", "cluster", "cluster_names", "num_threads", "thread_name")}


# --- layouts ---------------------------------------------------------------------------------------------------------


def _native_function_of_columns(columns, packing=1):
    """The register layout that matches tensor memory for 64 rows over two blocks."""
    memory = _native.builtin("tmem_m64_collective_layout")(columns, packing)
    return _native.builtin("TiledLayout")(memory.tiling, memory.warp_dims, memory.lane_dims, memory.vector_dim)


def _layout_value(group, name):
    """A layout, or a function that makes layouts, by JAX's name; None if there is none."""
    if name == "TCGEN05_M64_COLLECTIVE_NATIVE":
        return _native_function_of_columns
    found = getattr(_native.builtin(f"{_MODULE}.{group}"), name, None)
    if found is None and _builtins.entries().get(name, {}).get("group") == "layout catalogue":
        found = _native.builtin(name)
    return found


class LayoutName:
    """A layout under JAX's name. A layout with parameters is made by a call, and one without is used as it is."""

    def __init__(self, group, name):
        self._group, self.name = group, name

    def _value(self):
        return _layout_value(self._group, self.name)

    def _made(self):
        value = self._value()
        if self.name == "WG_SPLAT":
            return value(())
        return value() if _is_function(value) else value

    def of(self, shape):
        """The layout for an array of this shape."""
        return self._value()(tuple(shape)) if self.name == "WG_SPLAT" else self

    def __lanescope__(self):
        return self._made()

    def to_mgpu(self):
        """The layout as a value, for code that is inlined into a kernel."""
        return self._made()

    def __call__(self, *arguments, **named):
        value = self._value()
        if self.name == "TCGEN05_TMEM_NATIVE" and (arguments or named):
            value = _native.builtin("tmem_native_layout")
        if not _is_function(value):
            if arguments or named:
                raise ValueError(f"Can't call {self._group}.{self.name}: it has no parameters")
            return value
        return value(*arguments, **named)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._made(), name)

    def __eq__(self, other):
        if isinstance(other, LayoutName):
            return (self._group, self.name) == (other._group, other.name)
        return self._made() == other

    def __hash__(self):
        return hash((self._group, self.name))

    def __repr__(self):
        return f"{self._group}.{self.name}"


def _is_function(value):
    return callable(value) and ("function" in repr(value) or "builtin" in repr(value))


class _Layouts(type):
    def __getattr__(cls, name):
        if not name.startswith("_") and _layout_value(cls.__name__, name) is not None:
            return LayoutName(cls.__name__, name)
        raise AttributeError(f"`plgpu.{cls.__name__}.{name}`: {MESSAGE}", name=name)

    def __iter__(cls):
        return (getattr(cls, name) for name in cls._names.split())

    def __dir__(cls):
        return sorted({*cls._names.split(), *dir(_native.builtin(f"{_MODULE}.{cls.__name__}"))})


class Layout(metaclass=_Layouts):
    """Layouts of arrays in registers."""

    _names = (
        "WGMMA WGMMA_8BIT WGMMA_UPCAST_2X WGMMA_UPCAST_4X WGMMA_TRANSPOSED WG_SPLAT WG_STRIDED TILED TCGEN05 TCGEN05_TRANSPOSED "
        "TCGEN05_M64_COLLECTIVE TCGEN05_TMEM_NATIVE TCGEN05_M64_COLLECTIVE_NATIVE SMEM_GMEM_COPY TMA_INDICES TMA_INDICES_4 MMA_LHS "
        "MMA_RHS MMA_ACC"
    )


class TMEMLayout(metaclass=_Layouts):
    """Layouts of tensor memory."""

    _names = "SCALES_LAYOUT SPARSE_METADATA_LAYOUT M64_COLLECTIVE_LAYOUT SCALES_M64_COLLECTIVE_LAYOUT"


# --- wrappers of native functions ------------------------------------------------------------------------------------

_NAMES = frozenset(
    "Barrier ClusterBarrier Tiling Replicated TilingTransform SwizzleTransform TryClusterCancelResult "
    "async_prefetch wait_smem_to_gmem wait_gmem_to_smem commit_smem commit_smem_to_gmem_group barrier_arrive "
    "barrier_wait barrier_test wgmma wgmma_wait wgmma_accumulator_deref wgmma_accumulator_load wgmma_accumulator_store mma tcgen05_mma "
    "tcgen05_commit_arrive commit_tmem async_load_tmem async_store_tmem wait_load_tmem async_copy_smem_to_tmem "
    "async_copy_scales_to_tmem async_copy_sparse_metadata_to_tmem set_max_registers layout_cast load store print_layout "
    "broadcasted_iota inline_ptx atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor find_swizzle planar_snake "
    "semaphore_signal_multicast try_cluster_cancel query_cluster_cancel griddepcontrol_wait griddepcontrol_launch_dependents "
    "multicast_ref multimem_store multimem_load_reduce format_tcgen05_sparse_metadata WarpMesh PipelinePipeline "
    "CopyPartition transpose_ref".split()
)


@functools.cache
def _function(name):
    value = getattr(_native.builtin(_MODULE), name, None)
    if value is None:
        value = _native.builtin(name)
    if not _is_function(value):
        return value

    def call(*arguments, **named):
        if name == "load" and is_traced(arguments[0]) and arguments[0].shape == ():
            return arguments[0][...]  # an array of one element has only one layout
        shape = getattr(arguments[0], "shape", ()) if arguments and is_traced(arguments[0]) else ()
        arguments = [each.of(shape) if isinstance(each, LayoutName) else asarray(each) if isinstance(each, np.ndarray) else each for each in arguments]
        named = {key: each.of(shape) if isinstance(each, LayoutName) else _plain(each) for key, each in named.items()}
        return wrapped(value(*arguments, **named))

    call.__name__ = call.__qualname__ = name
    return call


def _plain(x):
    return x.value if isinstance(x, OOBFillMode) else x


def __getattr__(name):
    return _function(name) if name in _NAMES else _absent(name)


def __dir__():
    return sorted(_NAMES | {name for name in globals() if not name.startswith("_")})


def _value_error(words, problem):
    """JAX's exception for a call that a native function refuses. Its message is JAX's message, followed by ours."""
    out = ArgumentValueError(problem.findings)
    out.args = (f"{words}\n{problem}",)
    return out


def _copy(function, source, destination, name, leader_tracked=None):
    """Starts a copy. If source and destination do not fit together, raises JAX's exception."""
    try:
        return function()
    except Error as problem:
        shared = list(destination.shape)
        partition = re.fullmatch(r"CopyPartition.PARTITIONED\((\d+)\)", repr(leader_tracked))
        if partition and int(partition[1]) < len(shared):
            shared[int(partition[1])] *= 2
        if problem.kind == "dtype-mismatch":
            a, b = (dt.dtype(x.dtype).name for x in (source, destination))
            words = f"Expected dtypes to match, but src has dtype {a} and dst has dtype {b}"
        elif partition and tuple(shared) != tuple(source.shape):
            words = f"Expected source shape to be {tuple(shared)}, but got {tuple(source.shape)}. Dim {partition[1]} is partitioned over an axis of size 2."
        elif problem.kind != "shape-mismatch":
            raise
        elif name == "copy_gmem_to_smem":
            words = f"Expected source shape to be {tuple(destination.shape)}, but got {tuple(source.shape)}."
        else:
            words = f"Expected shapes to match, but src has shape {tuple(source.shape)} and dst has shape {tuple(destination.shape)}"
        raise _value_error(words, problem) from None


def copy_gmem_to_smem(src, dst, barrier=None, **options):
    """Copies a part of global memory to shared memory. `barrier` counts the bytes."""
    axes = options.get("collective_axes")
    if isinstance(axes, (tuple, list)):
        options["collective_axes"] = same_name(axes)
    return _copy(lambda: _function("copy_gmem_to_smem")(src, dst, barrier, **options), src, dst, "copy_gmem_to_smem",
                 options.get("leader_tracked"))  # fmt: skip


def copy_smem_to_gmem(src, dst, predicate=None, **options):
    """Copies shared memory to a part of global memory. `wait_smem_to_gmem` waits for the copy."""
    return _copy(lambda: _function("copy_smem_to_gmem")(src, dst, predicate=predicate, **options), src, dst, "copy_smem_to_gmem")


def RefUnion(*members):
    """One memory that several references, or trees of references, share."""

    def plain(member):
        return tuple(map(plain, member)) if isinstance(member, (tuple, list)) else member

    return _native.builtin("Union")(*map(plain, members))


def transpose_ref(ref, permutation):
    """The reference with its dimensions in another order."""
    try:
        return ref.transpose(tuple(permutation))
    except Error as problem:
        if "tensor memory" not in str(problem):
            raise
        raise _value_error("Can't transpose a TMEM reference", problem) from None


def reshape_ref(ref, *shape):
    return ref.reshape(*shape)


def semaphore_signal(sem, inc=1, *, device_id=None, device_id_type=DeviceIdType.MESH, memory_scope=None, core_index=None):
    options = {} if device_id is None else {"device_id": device_id, "device_id_type": DeviceIdType(device_id_type).value}
    options |= {} if memory_scope is None else {"memory_scope": memory_scope}
    return _native.builtin("semaphore_signal")(sem, inc, **options)


def semaphore_wait(sem, value=1, *, decrement=True, memory_scope=None):
    options = {} if memory_scope is None else {"memory_scope": memory_scope}
    return _native.builtin("semaphore_wait")(sem, value, decrement=decrement, **options)


class SemaphoreSignal:
    """One of the signals of `semaphore_signal_parallel`."""

    def __init__(self, ref, *, inc=1, device_id=None, device_id_type=DeviceIdType.MESH):
        options = {} if device_id is None else {"device_id": device_id, "device_id_type": DeviceIdType(device_id_type).value}
        self._value = _native.builtin("SemaphoreSignal")(ref, inc, **options)

    def __lanescope__(self):
        return self._value


def semaphore_signal_parallel(*signals):
    return _native.builtin("semaphore_signal_parallel")(*signals)


def remote_ref(ref, device_id, device_id_type=DeviceIdType.MESH):
    """A reference to the same place in the memory of another device."""
    return _native.builtin("remote_ref")(ref, device_id, device_id_type=DeviceIdType(device_id_type).value)


def cluster_ref(ref, block_id):
    """A reference to the same place in another block's shared memory: `cluster_ref(tile, {"x": 1})`."""
    return _native.builtin("cluster_ref")(ref, **block_id)


def async_store_smem(src, ref, barrier, *, cluster_idx, cluster_dim, optimized=True, atomic=None):
    """Sends an array to `ref` in another block's shared memory. The barrier of that block counts the bytes."""
    return _native.builtin("async_store_smem")(src, ref, barrier, atomic, **{cluster_dim: cluster_idx})


def warp_map(f=None, *, name=None):
    """`@plgpu.warp_map` above a function. Each warp of the warpgroup runs the function with the warp's number."""
    if f is None:
        return lambda f: warp_map(f, name=name)
    axis = "the warp of warp_map"

    def body():
        f(_native.builtin("axis_index")(axis))

    _native.builtin("core_map")(_native.builtin("WarpMesh")(axis_name=axis))(body)
    return None


# --- inline code -----------------------------------------------------------------------------------------------------


class ShapeDtypeStruct:
    """The type of a result of `inline_mgpu`: an array of this shape and dtype, in this layout."""

    def __init__(self, shape, dtype, layout=None):
        self.shape, self.dtype, self.layout = tuple(shape), dtype, layout


class RefType:
    """An argument of `inline_mgpu` that is a reference."""

    def __init__(self, transforms=()):
        self.transforms = tuple(transforms)


class FragmentedArray:
    """An array in a function under `inline_mgpu`: it has operators, and the methods that change its layout."""

    def __init__(self, value):
        self._value = value

    def __lanescope__(self):
        return self._value

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._value, name)

    def __getitem__(self, index):
        return FragmentedArray(self._value[index])

    def astype(self, dtype):
        return FragmentedArray(self._value.astype(dtype))

    def to_layout(self, layout):
        return FragmentedArray(_function("layout_cast")(self._value, layout))

    def broadcast_in_dim(self, shape, source_dimensions, layout):
        """The array in a larger shape: its dimension i becomes the result's dimension `source_dimensions[i]`."""
        wide = _native.builtin("broadcast_in_dim")(self._value, tuple(shape), tuple(source_dimensions))
        return FragmentedArray(wide).to_layout(layout)


def _operator(name):
    def apply(self, *operands):
        return FragmentedArray(getattr(operator, name)(self._value, *map(_plain_array, operands)))

    def reflected(self, other):
        return FragmentedArray(getattr(operator, name)(other, self._value))

    return apply, reflected


def _plain_array(x):
    return x._value if isinstance(x, FragmentedArray) else x


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    _forward, _backward = _operator(f"__{_name}__")
    setattr(FragmentedArray, f"__{_name}__", _forward)
    setattr(FragmentedArray, f"__r{_name}__", _backward)
for _name in ("neg", "invert", "lt", "le", "eq", "ne", "gt", "ge"):
    setattr(FragmentedArray, f"__{_name}__", _operator(f"__{_name}__")[0])


class _InlineContext:
    """The first argument of the function that `inline_mgpu` wraps."""


def inline_mgpu(*, arg_types=(), return_type=None):
    """A decorator for a function of a context, arrays and references. Kernels run its body unchanged, with its
    arrays in the layouts that the arguments name."""

    def decorate(function):
        def run(*arguments):
            if len(arguments) != len(arg_types):
                raise ValueError(f"Mismatched number of arguments: expected {len(arg_types)}, got {len(arguments)}")
            cast = _function("layout_cast")
            given = [x if kind is None or isinstance(kind, RefType) or not is_traced(x) else FragmentedArray(cast(x, kind))
                     for x, kind in zip(arguments, arg_types)]  # fmt: skip
            return _returned(function(_InlineContext(), *given), return_type)

        return run

    return decorate


def _returned(value, kind):
    if isinstance(kind, (tuple, list)):
        return tuple(_returned(part, each) for part, each in zip(value, kind))
    value = _plain_array(value)
    if kind is None or kind.layout is None or not is_traced(value):
        return value
    return _function("layout_cast")(value, kind.layout)


class Transform:
    """The result of `plgpu.TilingTransform(…)` or of another transform."""


