"""`jax.new_ref`: an array that kernels write in place."""

from . import MESSAGE
from .arrays import asarray, native, wrapped


class Ref:
    """A mutable array: `ref[...]` is its value; in a kernel that is called with it, or in a `core_map`, a reference."""

    def __init__(self, handle):
        object.__setattr__(self, "_handle", handle)

    def __lanescope__(self):
        return self._handle

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
    """A mutable array: kernels that are called with it read and write it in place."""
    return Ref(native("jax", "new_ref")(asarray(x)))


array_ref = new_ref


def empty_ref(type, *, memory_space=None):
    """A mutable array of zeros."""
    from . import jnp

    return new_ref(jnp.zeros(type.shape, type.dtype))


def freeze(ref):
    """The value of a mutable array."""
    return ref[...]


def live():
    """The handles of the mutable arrays that there are."""
    return native("jax", "_live_refs")()


def bind(handles, references):
    native("jax", "_bind")(tuple(handles), tuple(references))
