"""Functions of arrays on SparseCores under JAX's names. The native functions of these names are for GPUs."""

from .. import _native


def _vector(x, axis, what):
    if axis not in (None, 0, -1) or len(x.shape) != 1:
        raise NotImplementedError(f"`{what}` on a SparseCore is along the only dimension of a vector: axis={axis}, shape={tuple(x.shape)}")


def sort(a, axis=-1, *, dimension=-1, is_stable=True, num_keys=1, kind=None, order=None, stable=True, descending=False):
    """`jnp.sort`, `lax.sort`"""
    if isinstance(a, (tuple, list)):
        return tuple(_native.builtin("sort")(tuple(a), dimension, num_keys=num_keys))
    _vector(a, axis, "sort")
    return _native.builtin("sort")(a, descending=bool(descending))


def argsort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    _vector(a, axis, "argsort")
    places = _native.builtin("broadcasted_iota")(_native.builtin("i32"), tuple(a.shape), 0)
    return _native.builtin("sort_key_val")(a, places, descending=bool(descending))[1]


def flip(m, axis=None):
    _vector(m, axis, "flip")
    return _native.builtin("rev")(m)


def rev(operand, dimensions):
    return _native.builtin("rev")(operand, tuple(dimensions))


def take(a, indices, axis=None, out=None, mode=None, **_):
    _vector(a, axis, "take")
    return _native.builtin("take")(a, indices)


def take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None):
    return _native.builtin("take_along_axis")(arr, indices, -1 if axis is None else int(axis))


def stack(arrays, axis=0, dtype=None):
    """Gives each array a dimension of size 1, and joins the arrays along it."""
    rank = len(arrays[0].shape) + 1
    axis = axis % rank
    parts = [x.reshape(*x.shape[:axis], 1, *x.shape[axis:]) for x in arrays]
    return _native.builtin("concatenate")(parts, axis)


def _running(name):
    def function(a, axis=None, **options):
        """Applies the native function to a vector, along its only axis."""
        if any(options.values()):
            raise NotImplementedError(f"`{name}` of a vector takes no {', '.join(options)}")
        return _native.builtin(name)(a)

    return function


cumsum, cummax, cummin = _running("cumsum"), _running("cummax"), _running("cummin")
