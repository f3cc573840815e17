"""`jax.experimental.pallas.tpu_sc`: kernels for the SparseCores of a TPU."""

import enum

from .. import _native
from . import missing
from .arrays import in_kernel, is_traced, wrapped
from .chips import get_sparse_core_info  # noqa: F401
from .control import Trees
from .pallas import kernel  # noqa: F401
from .specs import BlockSpec  # noqa: F401
from .subcores import Indices, ScalarSubcoreMesh, VectorSubcoreMesh, supported_shapes  # noqa: F401

_absent = missing("jax.experimental.pallas.tpu_sc")

_NAMES = frozenset(
    "subcore_barrier load_expanded store_compressed addupdate addupdate_compressed load_gather store_scatter "
    "addupdate_scatter fetch_and_add cumsum cummax cummin scan_count sort_key_val all_reduce_population_count all_reduce_ffs pack "
    "unpack bitcast".split()
)


class PackFormat(enum.Enum):
    """The order in which two vectors are packed into one: in two rows of a second dimension, or interleaved."""

    COMPRESSED = "compressed"
    INTERLEAVED = "interleaved"

    def __lanescope__(self):
        return self.value


def _primitive(name):
    function = _native.builtin(name)

    def call(*arguments, **named):
        return wrapped(function(*arguments, **named))

    call.__name__ = call.__qualname__ = name
    return call


def __getattr__(name):
    if name not in _NAMES:
        return _absent(name)
    globals()[name] = _primitive(name)
    return globals()[name]


def __dir__():
    return sorted(_NAMES | {name for name in globals() if not name.startswith("_")})


def _is_reference(x):
    return is_traced(x) and hasattr(x, "at")


def _check_carried(leaves):
    for leaf in leaves:
        if not _is_reference(leaf):
            continue
        if ".at[" in repr(leaf):
            raise TypeError(f"parallel_loop: TransformedRefs are not allowed as carried values, and this is {leaf!r}")
        space = repr(leaf).lstrip("<").split()[0].lower()
        raise TypeError(f"parallel_loop: carried values may not be references, and this is a Ref<{space}>{{{leaf.dtype}{list(leaf.shape)}}}")


class _SameStructure(Trees):
    def leaves_of(self, value):
        try:
            return super().leaves_of(value)
        except TypeError as problem:
            raise ValueError(f"parallel_loop: body result should have same structure as carry: {problem}") from None


def parallel_loop(lower, upper, step=1, *, unroll=1, carry=None):
    """A decorator that runs a function of the index as a loop whose iterations do not depend on each other's stores.
    With `carry=`, the function also takes the carried value and returns the next one. The function's name is then bound
    to the last value."""

    def decorate(body):
        if not in_kernel():
            raise RuntimeError("`parallel_loop` is for kernels")
        carried = _SameStructure(() if carry is None else carry, "the body")
        _check_carried(carried.leaves)

        def round(index, leaves):
            if carry is None:
                body(index)
                return ()
            return carried.leaves_of(body(index, carried.of(leaves)))

        bounds = [n if is_traced(n) else int(n) for n in (lower, upper, step)]
        out = _native.builtin("parallel_loop")(*bounds, unroll=int(unroll), carry=tuple(carried.leaves))(round)
        return None if carry is None else carried.of(out)

    return decorate
