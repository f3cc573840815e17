"""`jax`"""

from . import dtypes, lax, missing, nn, random, sharding, tree, tree as tree_util  # noqa: F401
from . import debug, jnp as numpy, ops, scipy  # noqa: F401
from .arrays import Array, asarray, in_kernel  # noqa: F401
from .devices import (  # noqa: F401
    default_backend, device_count, devices, local_device_count, local_devices, process_count, process_index,
)  # fmt: skip
from .refs import array_ref, empty_ref, freeze, new_ref  # noqa: F401
from .sharding import NamedSharding, PartitionSpec, Mesh as _Mesh, reshard, set_mesh, use_abstract_mesh  # noqa: F401
from .shards import shard_map  # noqa: F401
from .transforms import (  # noqa: F401
    ShapeDtypeStruct, checkpoint, custom_jvp, custom_vjp, eval_shape, grad, jit, typeof, value_and_grad, vjp, vmap,
)  # fmt: skip

__getattr__ = missing("jax")
__version__ = "0.11.2"
__version_info__ = (0, 11, 2)
P = PartitionSpec
remat = checkpoint
Ref = object


def block_until_ready(x):
    """Returns x. A kernel has finished when its call returns."""
    return x


def device_put(x, device=None, **_):
    """x with its leaves converted to JAX arrays."""
    return tree.map(asarray, x)


def device_get(x):
    """x with its leaves converted to NumPy arrays."""
    import numpy as np

    return tree.map(np.asarray, x)


def make_mesh(axis_shapes, axis_names, axis_types=None, *, devices=None):
    """A mesh of the first devices, as many as the product of the axes' sizes."""
    import numpy as np

    from .devices import devices as there_are

    chosen = list(there_are() if devices is None else devices)
    wanted = int(np.prod(axis_shapes))
    if wanted > len(chosen):
        raise ValueError(f"a mesh of shape {tuple(axis_shapes)} has {wanted} devices, and there are {len(chosen)}")
    return _Mesh(np.array(chosen[:wanted], object).reshape(axis_shapes), axis_names)


def effects_barrier():
    """Does nothing. A kernel has finished when its call returns."""


def clear_caches():
    """Does nothing. Compiled kernels are found by their content."""


def live_arrays(platform=None):
    return []


def named_call(fun, *, name=None):
    return fun


class _Region:
    """A context that does nothing."""

    def __enter__(self):
        return None

    def __exit__(self, *_):
        return None

    def __call__(self, function):
        return function


class _KernelRegion:
    """A region in the profile of a kernel: the one that is being traced when the region is entered."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        from .. import _native

        self.region = _native.builtin("region")(self.name) if in_kernel() else _Region()
        return self.region.__enter__()

    def __exit__(self, *raised):
        return self.region.__exit__(*raised)

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def inside(*arguments, **named):
            with _KernelRegion(self.name):
                return function(*arguments, **named)

        return inside


def named_scope(name):
    """A context, `with jax.named_scope("name"):`, or a decorator. In a traced kernel, its statements form a region
    of the profile."""
    return _KernelRegion(name)


def default_matmul_precision(name):
    """Does nothing. The host sums products in f32."""
    return _Region()


def disable_jit(disable=True):
    return _Region()


def ensure_compile_time_eval():
    return _Region()


class _Config:
    jax_enable_x64 = False
    jax_platforms = "gpu"

    def update(self, name, value):
        if name == "jax_enable_x64" and value:
            raise NotImplementedError("jax.numpy makes 32-bit arrays only; NumPy makes 64-bit ones")

    def read(self, name):
        return getattr(self, name, None)

    def parse_flags_with_absl(self):
        return None

    def __getattr__(self, name):
        if not name.startswith("jax_"):
            raise AttributeError(name)
        return None


config = _Config()


class profiler:
    """JAX's profiler. It does nothing; `lanescope run --trace` records kernels."""

    TraceAnnotation = staticmethod(lambda *_, **__: _Region())
    StepTraceAnnotation = staticmethod(lambda *_, **__: _Region())
    trace = staticmethod(lambda *_, **__: _Region())
    annotate_function = staticmethod(lambda function, **_: function)


class errors:
    class ConcretizationTypeError(TypeError):
        pass

    class TracerBoolConversionError(ConcretizationTypeError):
        pass


class stages:
    class Wrapped:
        pass

