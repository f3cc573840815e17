"""The memory that a kernel requests, and the memory spaces."""

import enum

from .. import _native
from . import MESSAGE, tree
from .arrays import plain_shape

_GPU = "jax.experimental.pallas.mosaic_gpu"


class MemoryRef:
    """Memory of a shape and dtype in a space, the result of `plgpu.SMEM((64, 64), jnp.float16)`."""

    def __init__(self, inner_aval, memory_space, value=None):
        self.inner_aval, self.memory_space = inner_aval, memory_space
        self.shape, self.dtype = inner_aval.shape, inner_aval.dtype
        self._value, self.collective = value, False

    @classmethod
    def of(cls, space, shape, dtype, value=None):
        from .transforms import ShapeDtypeStruct

        return cls(ShapeDtypeStruct(plain_shape(shape), dtype), space, value)

    def __lanescope__(self):
        if self._value is None:
            raise NotImplementedError(f"memory of {self.memory_space} that a kernel allocates is {MESSAGE}")
        return self._value

    def __repr__(self):
        return f"MemoryRef({self.memory_space}, {self.dtype.name}{list(self.shape)})"


class MemorySpace(enum.Enum):
    GMEM = "gmem"
    SMEM = "smem"
    TMEM = "tmem"
    REGS = "regs"

    def __str__(self):
        return self.value

    def __call__(self, shape, dtype, *, transforms=(), packed=None, collective=None, layout=None):
        if self is not MemorySpace.TMEM and not (packed is collective is layout is None):
            raise ValueError("packed, collective and layout arguments are only supported for TMEM.")
        if self is MemorySpace.TMEM and transforms:
            raise ValueError("transforms are not supported for TMEM")
        shape, value = plain_shape(shape), None
        if self is MemorySpace.SMEM:
            value = getattr(_native.builtin(_GPU), "SMEM")(shape, dtype, transforms=tuple(transforms))
        elif self is MemorySpace.TMEM:
            value = _native.builtin("TMEM")(shape, dtype, packed=packed, collective=collective, layout=layout)
        out = MemoryRef.of(self, shape, dtype, value)
        out.collective = bool(collective)
        return out

    def like(self, x):
        return self(x.shape, x.dtype)

    def __lanescope__(self):
        return self.name


class SemaphoreType(enum.Enum):
    REGULAR = "regular"
    BARRIER = "barrier"

    def __call__(self, shape):
        return _native.builtin("Semaphore")()(plain_shape(shape))

    def __lanescope__(self):
        return _native.builtin("Semaphore")()


class Initial:
    """An accumulator with an initial value, for `pl.run_state`."""

    def __init__(self, value):
        from .transforms import typeof

        self.value = value
        shape = typeof(value)
        self.spec = _native.builtin("ACC")(tuple(shape.shape), shape.dtype)


class _Accumulator(type):
    def __call__(cls, shape, dtype="float32"):
        if hasattr(shape, "shape"):
            raise TypeError("an accumulator that begins with a value is `plgpu.ACC.init(value)`, for `pl.run_state`")
        return _native.builtin("ACC")(plain_shape(shape), dtype)


class ACC(metaclass=_Accumulator):
    """An accumulator of `wgmma`, in registers."""

    @staticmethod
    def init(value):
        return Initial(value)


def run_scoped(f, *types, collective_axes=(), **named_types):
    """Calls `f(*references)` with references to new memory that exists during the call. `types` may be trees."""
    leaves, shape = tree.flatten((types, named_types))

    found = []

    def body(*refs):
        positional, named = shape.unflatten(refs)
        results, outer = tree.flatten(f(*positional, **named))
        found.append(outer)
        return tuple(results)

    options = {} if collective_axes == () or collective_axes is None else {"collective_axes": collective_axes}
    out = _native.builtin("run_scoped")(body, *leaves, **options)
    return found[0].unflatten(list(out) if isinstance(out, (tuple, list)) else [])
