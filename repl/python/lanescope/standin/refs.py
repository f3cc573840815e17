"""`jax.new_ref`: an array that kernels write in place."""

from . import MESSAGE
from .arrays import asarray, in_kernel, native, wrapped


class Ref:
    """A mutable array. `ref[...]` is its value. A kernel that is called with it, or a `core_map` that uses it, sees
    a reference."""

    def __init__(self, handle):
        object.__setattr__(self, "_handle", handle)

    def __lanescope__(self):
        return native("jax", "_inside")(self._handle) if in_kernel() else self._handle

    def __getitem__(self, index):
        return wrapped(self._handle[index])

    def __setitem__(self, index, value):
        self._handle[index] = value

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            found = getattr(self._handle, name)
        except AttributeError as problem:
            raise AttributeError(f"{problem}; {MESSAGE}", name=name) from None
        return found

    @property
    def dtype(self):
        from .dtypes import dtype

        return dtype(self._handle.dtype)

    def __repr__(self):
        return f"Ref({self.dtype.name}{list(self.shape)})"


def new_ref(x, *, memory_space=None, kind=None):
    """Makes a mutable array, which kernels that are called with it read and write in place. In a SparseCore kernel,
    allocates memory with that value."""
    if in_kernel():
        ref = empty_ref(x, memory_space=memory_space)
        ref[...] = x
        return ref
    from .subcores import place_of

    place = place_of(memory_space, getattr(x, "semaphore", None))
    return Ref(native("jax", "new_ref")(asarray(x), **({} if place is None else {"memory_space": place})))


array_ref = new_ref


def empty_ref(type, *, memory_space=None):
    """Makes a mutable array of zeros. In a SparseCore kernel, allocates memory, by default in VMEM."""
    from . import jnp
    from .subcores import MemorySpace

    if in_kernel():
        return native("jax.experimental.pallas", "get_global")((memory_space or MemorySpace.VMEM)(type.shape, type.dtype))
    return new_ref(jnp.zeros(type.shape, type.dtype), memory_space=memory_space)


def freeze(ref):
    """The value of a mutable array."""
    return ref[...]


def live():
    """The handles of all mutable arrays that exist."""
    return native("jax", "_live_refs")()


def bind(handles, references):
    native("jax", "_bind")(tuple(handles), tuple(references))
