"""`jax.experimental.pallas.tpu`: the part that SparseCore kernels use."""

import dataclasses
from typing import Any

from .. import _native
from . import control, lax, missing, tree
from .chips import ChipVersion, Tiling, TpuInfo, get_tpu_info, get_tpu_info_for_chip, is_tpu_device  # noqa: F401
from .memory import run_scoped
from .pallas import DeviceIdType, get_global  # noqa: F401
from .shards import device_place
from .subcore_pipelines import emit_pipeline  # noqa: F401
from .subcores import CoreType, GridDimensionSemantics, MemorySpace, SemaphoreType  # noqa: F401

__getattr__ = missing("jax.experimental.pallas.tpu")

PARALLEL, CORE_PARALLEL, SUBCORE_PARALLEL, ARBITRARY = GridDimensionSemantics
VMEM, VMEM_SHARED, SMEM, CMEM, SEMAPHORE, HBM, HOST = MemorySpace


@dataclasses.dataclass(frozen=True)
class CompilerParams:
    """Options of a kernel's compilation. With `needs_layout_passes`, vectors may have any shape. `use_tc_tiling_on_sc`
    keeps arrays in a TensorCore's tiles. The other options have no effect here."""

    dimension_semantics: tuple | None = None
    allow_input_fusion: tuple | None = None
    vmem_limit_bytes: int | None = None
    collective_id: int | None = None
    has_side_effects: Any = False
    flags: Any = None
    internal_scratch_in_bytes: int | None = None
    serialization_format: int = 1
    disable_bounds_checks: bool = False
    disable_semaphore_checks: bool = False
    skip_device_barrier: bool = False
    allow_collective_id_without_custom_barrier: bool = False
    shape_invariant_numerics: bool = True
    use_tc_tiling_on_sc: bool | None = None
    needs_layout_passes: bool = True
    fuse_transposed_lhs_in_matmul: bool = False
    opt_level: Any = None

    replace = dataclasses.replace


TPUCompilerParams = CompilerParams


# --- copies ----------------------------------------------------------------------------------------------------------


class AsyncCopy:
    """A copy with `start()` and `wait()`. A copy to another device has a semaphore on each side."""

    def __init__(self, src_ref, dst_ref, sem, send_sem=None, device_id=None):
        self.src_ref, self.dst_ref, self.sem, self.send_sem, self.device_id = src_ref, dst_ref, sem, send_sem, device_id

    is_remote = property(lambda self: self.send_sem is not None)

    def _native(self, **options):
        if self.is_remote:
            made = _native.builtin("make_async_remote_copy")
            return made(self.src_ref, self.dst_ref, self.send_sem, self.sem, self.device_id)
        return _native.builtin("make_async_copy")(self.src_ref, self.dst_ref, self.sem, **options)

    def start(self, priority=0, *, add=False):
        if self.is_remote and (add or priority):
            raise NotImplementedError("a copy to another device neither adds nor has a priority")
        self._native(**({} if self.is_remote else {"add": bool(add), "priority": int(priority)})).start()

    def wait(self):
        self._native().wait()

    def wait_recv(self):
        self._native().wait_recv()

    def wait_send(self):
        if not self.is_remote:
            raise ValueError("Cannot `wait_send` on a local copy.")
        self._native().wait_send()


def make_async_copy(src_ref, dst_ref, sem):
    """Makes a copy, without starting it. When it is done, `sem` counts its bytes."""
    return AsyncCopy(src_ref, dst_ref, sem)


def async_copy(src_ref, dst_ref, sem, *, priority=0, add=False):
    """Starts a copy. `.wait()` of the result waits for it."""
    copy = AsyncCopy(src_ref, dst_ref, sem)
    copy.start(priority, add=add)
    return copy


def make_async_remote_copy(src_ref, dst_ref, send_sem, recv_sem, device_id, device_id_type=DeviceIdType.MESH):
    """Makes a copy to another device. `send_sem` counts its bytes here, and `recv_sem` on the other device."""
    if DeviceIdType(device_id_type) is DeviceIdType.LOGICAL and isinstance(device_id, (tuple, list, dict)):
        raise TypeError("LOGICAL device_id_type does not support device_id as a tuple or dict.")
    return AsyncCopy(src_ref, dst_ref, recv_sem, send_sem, device_place(device_id))


def async_remote_copy(src_ref, dst_ref, send_sem, recv_sem, device_id, device_id_type=DeviceIdType.MESH):
    copy = make_async_remote_copy(src_ref, dst_ref, send_sem, recv_sem, device_id, device_id_type)
    copy.start()
    return copy


def sync_copy(src_ref, dst_ref, *, add=False):
    """Copies a tree of references to another tree of the same structure, and waits."""
    sources, shape = tree.flatten(src_ref)
    targets = shape.flatten_up_to(dst_ref)
    if len(sources) == 1:
        _native.builtin("sync_copy")(sources[0], targets[0], add=bool(add))
        return
    if not sources:
        return

    def copies(sem):
        pairs = [AsyncCopy(source, target, sem) for source, target in zip(sources, targets)]
        for pair in pairs:
            pair.start(add=add)
        for pair in pairs:
            pair.wait()

    run_scoped(copies, SemaphoreType.DMA)


# --- cores -----------------------------------------------------------------------------------------------------------


def run_on_first_core(core_axis_name):
    """A decorator: only the first core of an axis runs the function."""
    if lax.axis_size(core_axis_name) == 1:
        return lambda f: f()
    return control.when(lax.axis_index(core_axis_name) == 0)


def core_barrier(sem, *, core_axis_name):
    """Waits until all cores of an axis have arrived."""
    count = lax.axis_size(core_axis_name)
    mine = lax.axis_index(core_axis_name)
    if count == 1:
        return
    for core in range(count):
        control.when(mine != core)(lambda core=core: _native.builtin("semaphore_signal")(sem, 1, core_index=core))
    _native.builtin("semaphore_wait")(sem, count - 1)


def bitcast(x, dtype):
    """The bits of x as another dtype."""
    return _native.builtin("bitcast")(x, dtype)


def with_memory_space_constraint(x, memory_space):
    """Returns x. The host's arrays need not move to another memory for a kernel."""
    return x


def load(ref, *, mask=None):
    """The values in a reference. Lanes that the mask excludes are undefined."""
    return ref[...] if mask is None else _native.builtin("load_expanded")(ref, mask=mask)
