"""`jax.Array`, a NumPy array that follows jax.numpy's rules, and the dispatch of functions of arrays to native
functions."""

import functools

import numpy as np

from .. import _native, _support
from . import MESSAGE
from . import dtypes as dt


def is_traced(x):
    """True if x is a value or reference of a kernel that is being traced."""
    return type(x) is _native.Value and hasattr(x, "shape")


class _ArrayType(type):
    def __instancecheck__(cls, x):
        return type.__instancecheck__(cls, x) or is_traced(x)


class Array(metaclass=_ArrayType):
    """An array that does not change. Arrays of small dtypes are kept in wider dtypes (`dtypes.SmallDtype.carrier`)."""

    __slots__ = ("_values", "dtype", "weak_type", "_handle", "_spec", "__weakref__")
    __array_priority__ = 100

    def __init__(self, values, dtype, weak_type=False):
        self._values, self.dtype, self.weak_type, self._handle, self._spec = values, dtype, weak_type, None, None

    # properties
    shape = property(lambda self: self._values.shape)
    ndim = property(lambda self: self._values.ndim)
    size = property(lambda self: self._values.size)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * dt.itemsize_bits(self.dtype) // 8)
    at = property(lambda self: At(self))
    aval = property(lambda self: self)
    T = property(lambda self: self.transpose())
    mT = property(lambda self: _like(self, np.swapaxes(self._values, -1, -2)))
    real = property(lambda self: self)
    is_fully_addressable = True

    @property
    def sharding(self):
        from .sharding import SingleDeviceSharding

        return SingleDeviceSharding()

    def __array__(self, dtype=None, copy=None):
        values = self._values
        if isinstance(self.dtype, dt.SmallDtype):
            from .._support import numpy_dtype

            theirs = numpy_dtype(self.dtype.ours)
            values = values if theirs is None else values.astype(theirs)
        else:
            values = values.view()
            values.flags.writeable = False
        return values if dtype is None else values.astype(dt.dtype(dtype))

    def __lanescope_array__(self):
        """The array for the native functions: (bytes, dtype, shape, "jax"), where "jax" names the rules. None for
        small dtypes other than bf16. The bits of bf16 are the upper bits of its f32."""
        if self.dtype.name == "bfloat16" and self.size:
            bits = (np.ascontiguousarray(self._values).view(np.uint32) >> 16).astype(np.uint16)
            return bits.reshape(-1).view(np.uint8), "bf16", self.shape, "jax"
        if isinstance(self.dtype, dt.SmallDtype):
            return None
        # _array_parts gives a scalar a dimension; use the true shape.
        values, name, _ = _support._array_parts(self._values)[1]
        return values, name, self.shape, "jax"

    def __lanescope__(self):
        if not isinstance(self.dtype, dt.SmallDtype):
            return self._values
        if self._handle is None:
            self._handle = _native.builtin("astype")(self._values, self.dtype)
        return self._handle

    def __repr__(self):
        text = np.array2string(self._values, separator=", ", prefix="Array(")
        return f"Array({text}, dtype={self.dtype.name}{', weak_type=True' if self.weak_type else ''})"

    def __str__(self):
        return str(self._values)

    def __format__(self, spec):
        return format(self._values[()], spec) if self.ndim == 0 else format(str(self), spec)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return iter([_like(self, row) for row in self._values])

    def __bool__(self):
        return bool(self._values)

    def __int__(self):
        return int(self._values)

    def __float__(self):
        return float(self._values)

    def __complex__(self):
        return complex(self._values)

    def __index__(self):
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer arrays of rank 0 are an index")
        return int(self._values)

    def __hash__(self):
        raise TypeError("unhashable type: 'jax.Array'")

    def __getitem__(self, index):
        return _like(self, self._values[readable(index, self.shape)])

    def __setitem__(self, index, value):
        raise TypeError("JAX's arrays do not change: `x.at[index].set(value)` gives another one")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"`jax.Array.{name}`: {MESSAGE}", name=name)

    # conversions
    def item(self, *index):
        return self._values.item(*index)

    def tolist(self):
        return self._values.tolist()

    def astype(self, dtype, copy=False, device=None):
        return asarray(self, dt.canonicalize_dtype(dtype))

    def view(self, dtype=None):
        dtype = dt.canonicalize_dtype(dtype)
        from_bits, to_bits = dt.itemsize_bits(self.dtype), dt.itemsize_bits(dtype)
        if to_bits > from_bits:
            return bitcast(self.reshape(*self.shape[:-1], -1, to_bits // from_bits), dtype)
        out = bitcast(self, dtype)
        return out.reshape(*self.shape[:-1], -1) if to_bits < from_bits else out

    def copy(self):
        return _like(self, self._values.copy())

    def reshape(self, *shape, order="C", **_):
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer, Array)) else shape
        return _like(self, self._values.reshape(plain_shape(shape), order=order))

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return _like(self, self._values.transpose(axes or None))

    def flatten(self, order="C"):
        return _like(self, self._values.flatten(order))

    def block_until_ready(self):
        return self

    def devices(self):
        from .devices import devices

        return {devices()[0]}

    device = property(lambda self: next(iter(self.devices())))
    addressable_shards = property(lambda self: [self])

    def copy_to_host_async(self):
        return None

    def delete(self):
        return None

    def is_deleted(self):
        return False


def _like(array, values):
    return Array(np.asarray(values), array.dtype, array.weak_type)


def plain_shape(shape):
    """A shape as a tuple of ints of Python."""
    if isinstance(shape, (int, np.integer, Array)):
        return (int(shape),)
    return tuple(int(n) for n in shape)


def readable(index, shape):
    """An index in NumPy's form. Integers in an index array that lie outside are clamped to the nearest place, as in
    JAX."""
    parts = index if isinstance(index, tuple) else (index,)
    out = []
    for part in parts:
        if isinstance(part, Array):
            part = part._values
        elif isinstance(part, slice):
            part = slice(*(None if n is None else int(n) for n in (part.start, part.stop, part.step)))
        elif type(part) is _native.Value and hasattr(part, "start"):
            part = slice(int(part.start), int(part.start) + int(part.size))
        elif isinstance(part, (list, range)):
            part = np.asarray(part)
        out.append(part)
    taken = lambda part: 0 if part is None else part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1  # noqa: E731
    places = [i for i, part in enumerate(out) if part is Ellipsis]
    if not places:
        places = [len(out)]
        out.append(Ellipsis)
    axis = 0
    for i, part in enumerate(out):
        if part is Ellipsis:
            axis = len(shape) - sum(map(taken, out[i + 1 :]))
            continue
        if isinstance(part, np.ndarray) and part.dtype != bool and axis < len(shape):
            size = shape[axis]
            out[i] = np.clip(np.where(part < 0, part + size, part), 0, max(size - 1, 0)).astype(np.int64)
        axis += taken(part)
    return tuple(out)


# --- making arrays ---------------------------------------------------------------------------------------------------


def rounded(values, dtype):
    """Rounds values of NumPy to values that the dtype can represent. The result has the dtype's carrier."""
    if not isinstance(dtype, dt.SmallDtype):
        # Rounds to the nearest integer in range, and NaN to 0, as XLA does.
        if dtype.kind in "iu" and values.dtype.kind == "f":
            info = dt.iinfo(dtype)
            wide = np.nan_to_num(np.trunc(values.astype(np.float64)), nan=0.0, posinf=info.max, neginf=info.min)
            return np.clip(wide, info.min, info.max).astype(dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(dtype)
    if dtype.kind in "iu":
        low, high = dt.iinfo(dtype).min, dt.iinfo(dtype).max
        if values.dtype.kind == "f":
            return np.clip(np.nan_to_num(np.trunc(values)), low, high).astype(dtype.carrier)
        return (((values.astype(np.int64) - low) & (high - low)) + low).astype(dtype.carrier)
    values = np.ascontiguousarray(values, np.float32)
    if dtype.name == "bfloat16":
        bits = values.view(np.uint32)
        out = ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32)
        return np.where(np.isnan(values), values, out)
    if not values.size:
        return values
    out = _native.builtin("astype")(values.reshape(-1), dtype)
    return np.asarray(out, np.float32).reshape(values.shape)


def _numpy(x):
    """The (values, dtype) of anything that NumPy can read, with 64-bit types converted to 32 bits."""
    values = np.asarray(x)
    if values.dtype.names and isinstance(dt.dtype(values.dtype), dt.SmallDtype):
        small = dt.dtype(values.dtype)
        return rounded(values[small.name], small), small
    if values.dtype.name in dt.SMALL:  # a dtype of ml_dtypes
        small = dt.SMALL[values.dtype.name]
        return values.astype(small.carrier), small
    if values.dtype.kind not in "biuf":
        raise TypeError(f"an array of {values.dtype} is {MESSAGE}")
    dtype = dt.canonicalize_dtype(values.dtype)
    return values.astype(dtype, copy=False), dtype


def asarray(x, dtype=None, copy=False):
    """x as an Array. Numbers without a dtype are weakly typed."""
    dtype = None if dtype is None else dt.canonicalize_dtype(dtype)
    if is_traced(x):
        return x if dtype is None or dt.dtype(x.dtype) == dtype else x.astype(dtype)
    if isinstance(x, Array):
        if dtype is None or dtype == x.dtype:
            return Array(x._values, x.dtype) if x.weak_type and dtype is not None else x
        return Array(rounded(x._values, dtype), dtype)
    if type(x) is _native.Value:
        raise TypeError(f"{x!r} is no array")
    if isinstance(x, (tuple, list)):
        from . import tree

        leaves = tree.leaves(x)
        if any(map(is_traced, leaves)):
            raise TypeError("a list of values of a kernel is no array: `jnp.stack` joins arrays")
        if leaves and any(isinstance(each, Array) for each in leaves):
            dtype = dt.result_type(*leaves) if dtype is None else dtype
            x = tree.map(lambda each: each._values if isinstance(each, Array) else each, x)
    if hasattr(x, "__jax_array__"):
        return asarray(x.__jax_array__(), dtype)
    weak = dtype is None and dt.weak_kind(x) in ("i", "f")
    if dtype is not None and not hasattr(x, "dtype"):
        wide = np.asarray(x)
        if dtype.kind in "iu" and wide.dtype.kind in "iu" and wide.size and not isinstance(x, np.ndarray):
            info = dt.iinfo(dtype)
            if not (info.min <= wide.min() and wide.max() <= info.max):
                raise OverflowError(f"Python integer {x} out of bounds for {dtype.name}")
        return Array(rounded(wide, dtype), dtype)
    values, own = _numpy(x)
    if values is x or np.shares_memory(values, np.asarray(x)):
        values = values.copy()  # JAX's arrays do not change, so copy a NumPy array, which may change
    return Array(values if dtype in (None, own) else rounded(values, dtype), dtype or own, weak)


def wrapped(x):
    """The result of a native function. Arrays become Arrays, and other values stay as they are."""
    if isinstance(x, np.ndarray):
        return asarray(x)
    if type(x) is _native.Value:
        if hasattr(x, "shape") and hasattr(x, "dtype") and not in_kernel():
            small = dt.dtype_or_none(x.dtype)
            if small is dt.SMALL["bfloat16"]:  # keeps all bits, also those of NaNs
                bits = np.ndarray(x.shape, np.uint16, buffer=x)
                return Array((bits.astype(np.uint32) << 16).view(np.float32), small)
            if isinstance(small, dt.SmallDtype):
                return Array(np.asarray(x, np.float32).astype(small.carrier), small)
        return x
    if isinstance(x, tuple):
        return tuple(map(wrapped, x))
    if isinstance(x, list):
        return list(map(wrapped, x))
    if isinstance(x, dict):
        return {key: wrapped(each) for key, each in x.items()}
    return x


def computed(values, dtype):
    """A result of NumPy as an Array of the given dtype."""
    values = np.asarray(values)
    return Array(rounded(values, dtype) if values.dtype != dtype or isinstance(dtype, dt.SmallDtype) else values, dtype)


# --- kernels that are being traced -----------------------------------------------------------------------------------

_tracing = 0
_on_subcore = {}


class Tracing:
    """`with Tracing():` surrounds the run of a kernel's body. `subcore`: the sizes of the axes of a SparseCore
    kernel."""

    def __init__(self, subcore=None):
        self.subcore = subcore or {}

    def __enter__(self):
        global _tracing, _on_subcore
        _tracing += 1
        self.before, _on_subcore = _on_subcore, self.subcore

    def __exit__(self, *_):
        global _tracing, _on_subcore
        _tracing -= 1
        _on_subcore = self.before


def in_kernel():
    return _tracing > 0


def on_subcore():
    """The axis sizes of the mesh of subcores whose kernel is being traced; empty for other kernels."""
    return _on_subcore


@functools.cache
def native(module, name):
    """A function of a native module; None if there is none."""
    if name.startswith("_"):
        return _native.inner(module, name)
    return getattr(_native.builtin(module), name, None)


@functools.cache
def _of_subcores(name):
    """The SparseCore function of a JAX name whose native function is for other targets; None if there is none."""
    from . import subcore_functions

    return getattr(subcore_functions, name, None)


@functools.cache
def _composed(module, name):
    """A function of kernels' values that is composed of native functions; None if there is none."""
    from . import kernel_functions

    return kernel_functions.__dict__.get(name) if module == "jax.numpy" and not name.startswith("_") else None


def any_traced(arguments):
    """True if a kernel's value is among the arguments, or in their lists and tuples."""
    for each in arguments:
        if type(each) is _native.Value:
            if hasattr(each, "shape"):
                return True
        elif isinstance(each, (tuple, list)) and any_traced(each):
            return True
    return False


def in_kernels_too(module, name=None):
    """A decorator for a function of the host's arrays. If an argument is a kernel's value, the call goes to the native
    function of that name instead."""

    def decorate(function):
        own = name or function.__name__

        @functools.wraps(function)
        def dispatch(*arguments, **named):
            if _tracing and (any_traced(arguments) or (named and any_traced(named.values()))):
                inside = _of_subcores(own) if _on_subcore else None
                inside = inside or (None if _on_subcore else _composed(module, own)) or native(module, own)
                if inside is None:
                    raise NotImplementedError(f"`{module}.{own}` of a kernel's values is {MESSAGE}")
                return wrapped(inside(*arguments, **named))
            return function(*arguments, **named)

        dispatch.__name__ = dispatch.__qualname__ = own
        return dispatch

    return decorate


# --- x.at ------------------------------------------------------------------------------------------------------------


class At:
    def __init__(self, array):
        self.array = array

    def __getitem__(self, index):
        return AtIndex(self.array, index)


class AtIndex:
    """`x.at[index]`. An index outside the array is dropped by a write, and clamped to the nearest place by a read."""

    def __init__(self, array, index):
        self.array, self.index = array, index

    def _written(self, update, value, accumulate=None, mode=None, **_):
        array = self.array
        values = array._values.copy()
        value = asarray(value)
        result = array.dtype
        given = value._values if not isinstance(result, dt.SmallDtype) and value.dtype == result else asarray(value, result)._values
        index, inside = _inside(self.index, array.shape)
        if inside is not None and not inside.all():
            given = np.broadcast_to(given, values[index].shape)
            if accumulate is None:
                flat = values[index]
                mask = inside.reshape(inside.shape + (1,) * (flat.ndim - inside.ndim))
                given = np.where(mask, given, flat)
                order = np.argsort(inside.reshape(-1), kind="stable")  # writes the elements inside last
                if inside.ndim == 1 and len([p for p in index if isinstance(p, np.ndarray)]) == 1:
                    moved = tuple(p[order] if isinstance(p, np.ndarray) else p for p in index)
                    values[moved] = given[order]
                    return computed(values, result)
            else:
                mask = inside.reshape(inside.shape + (1,) * (given.ndim - inside.ndim))
                neutral = accumulate.identity if accumulate.identity is not None else None
                given = np.where(mask, given, values[index] if neutral is None else neutral)
        if accumulate is None:
            values[index] = given
        else:
            wide = values.astype(np.float32) if result.name == "float16" else values
            accumulate.at(wide, index, given)
            values = wide
        return computed(values, result)

    def set(self, value, **options):
        return self._written(None, value, None, **options)

    def add(self, value, **options):
        return self._written(None, value, np.add, **options)

    def subtract(self, value, **options):
        return self._written(None, value, np.subtract, **options)

    def multiply(self, value, **options):
        return self._written(None, value, np.multiply, **options)

    mul = multiply

    def divide(self, value, **options):
        return self._written(None, value, np.divide, **options)

    def power(self, value, **options):
        return self._written(None, value, np.power, **options)

    def min(self, value, **options):
        return self._written(None, value, np.minimum, **options)

    def max(self, value, **options):
        return self._written(None, value, np.maximum, **options)

    def apply(self, function, **_):
        return self.set(function(self.array[self.index]))

    def get(self, mode=None, fill_value=None, **_):
        out = self.array[self.index]
        if mode == "fill":
            _, inside = _inside(self.index, self.array.shape)
            if inside is not None and not inside.all():
                fill = fill_value if fill_value is not None else np.nan if out.dtype.kind == "f" else dt.iinfo(out.dtype).min
                mask = inside.reshape(inside.shape + (1,) * (out.ndim - inside.ndim))
                return computed(np.where(mask, out._values, fill), out.dtype)
        return out


def _inside(index, shape):
    """An index as (the index in NumPy's form, a mask). The mask is True where the numbers in the index's arrays lie
    inside the shape. It is None if the index has no such arrays."""
    taken = readable(index, shape)
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [i for i, part in enumerate(parts) if isinstance(part, (Array, np.ndarray, list)) and np.asarray(part).dtype.kind in "iu"]
    if not arrays or any(part is None or part is Ellipsis for part in parts):
        return taken, None
    inside = np.array(True)
    for i in arrays:
        part = np.asarray(parts[i])
        inside = inside & (part >= -shape[i]) & (part < shape[i])
    return taken, inside
