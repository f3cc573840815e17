"""jax.numpy over NumPy. Dtypes are promoted by JAX's rules, no type has 64 bits, and 16-bit floats are summed in
f32."""

import builtins
import math

import numpy as np

from . import arrays, elementary, missing
from . import dtypes as dt
from .arrays import Array, any_traced, asarray, computed, in_kernels_too, native, plain_shape, wrapped
from .dtypes import SCALARS, ScalarType, dtype, finfo, iinfo, issubdtype, promote_types, result_type  # noqa: F401

__getattr__ = missing("jax.numpy")
_too = in_kernels_too("jax.numpy")

ndarray = Array
bool_ = SCALARS["bool"]
bfloat16, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float4_e2m1fn, int4, uint4, uint2 = (
    SCALARS[name] for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "uint2")
)  # fmt: skip
int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64 = (
    SCALARS[name] for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
)  # fmt: skip
int_, uint, float_ = int32, uint32, float32
generic, number, integer, signedinteger, unsignedinteger = np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger
inexact, floating, complexfloating = np.inexact, np.floating, np.complexfloating
pi, e, inf, nan, newaxis, euler_gamma = np.pi, np.e, np.inf, np.nan, None, np.euler_gamma


def array(object, dtype=None, copy=True, order=None, ndmin=0):
    out = asarray(object, dtype)
    if ndmin > getattr(out, "ndim", ndmin):
        out = out.reshape((1,) * (ndmin - out.ndim) + out.shape)
    return out


def _asarray(a, dtype=None, order=None, copy=None, device=None):
    return arrays.asarray(a, dtype)


def _values(x):
    """An argument as NumPy's values. Arrays inside lists and tuples are converted too."""
    if isinstance(x, Array):
        return x._values
    if isinstance(x, (tuple, list)):
        return type(x)(map(_values, x)) if type(x) in (tuple, list) else x
    if isinstance(x, np.ndarray) and x.dtype.name in dt.SMALL:
        return asarray(x)._values
    return x


def _met(*operands):
    """The operands as NumPy's values, converted to their common dtype, and this dtype."""
    operands = [x if isinstance(x, Array) or dt.weak_kind(x) else asarray(x) for x in operands]
    found = result_type(*operands)
    return [asarray(x, found)._values for x in operands], found


def _kept_weak(values, dtype, operands):
    out = computed(values, dtype)
    out.weak_type = builtins.all(dt.weak_kind(x) or getattr(x, "weak_type", False) for x in operands)
    return out


def _binary(name, function, gives=None, floats=False):
    """Defines a function of two arrays. `gives`: the result's dtype if it is not that of the operands."""

    def apply(x, y, /):
        (a, b), found = _met(x, y)
        if floats and found.kind != "f":
            found = np.dtype("float32")
            a, b = a.astype(found), b.astype(found)
        with np.errstate(all="ignore"):
            return _kept_weak(function(a, b), gives or found, (x, y))

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


def _unary(name, function, floats=False, gives=None):
    def apply(x, /):
        x = asarray(x)
        found = x.dtype
        values = x._values
        if floats and found.kind != "f":
            found = np.dtype("float32")
            values = values.astype(found)
        with np.errstate(all="ignore"):
            if floats and found.name == "float16":
                values = values.astype(np.float32)
            return _kept_weak(function(values), gives or found, (x,))

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


_TRUTH = np.dtype("bool")


def _floor_divide(a, b):
    if a.dtype.kind == "f":
        return np.floor(a / b)
    return np.where(b == 0, -1, np.floor_divide(a, np.where(b == 0, 1, b)))


def _remainder(a, b):
    return np.remainder(a, b) if a.dtype.kind == "f" else np.where(b == 0, a, np.remainder(a, np.where(b == 0, 1, b)))


for _name, _function in {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "fmax": np.fmax, "fmin": np.fmin, "floor_divide": _floor_divide, "remainder": _remainder, "mod": _remainder,
    "fmod": np.fmod, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "left_shift": np.left_shift, "gcd": np.gcd, "lcm": np.lcm,
}.items():  # fmt: skip
    globals()[_name] = _binary(_name, _function)
for _name in ("true_divide", "arctan2", "hypot", "logaddexp", "logaddexp2", "copysign", "nextafter", "heaviside"):
    globals()[_name] = _binary(_name, getattr(np, _name), floats=True)
for _name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor"):
    globals()[_name] = _binary(_name, getattr(np, _name), gives=_TRUTH)
for _name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh",
              "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "deg2rad", "rad2deg", "sinc"):  # fmt: skip
    globals()[_name] = _unary(_name, getattr(elementary, _name, getattr(np, _name)), floats=True)
for _name in ("negative", "positive", "absolute", "fabs", "sign", "square", "invert", "conjugate"):
    globals()[_name] = _unary(_name, getattr(np, _name))
for _name in ("floor", "ceil", "trunc", "rint"):
    globals()[_name] = _unary(_name, lambda x, f=getattr(np, _name): x if x.dtype.kind in "biu" else f(x))
for _name in ("isnan", "isinf", "isfinite", "signbit", "logical_not"):
    globals()[_name] = _unary(_name, getattr(np, _name), gives=_TRUTH)
divide, abs, bitwise_not, bitwise_invert, conj = true_divide, absolute, invert, invert, conjugate  # noqa: F821
bitwise_left_shift = left_shift  # noqa: F821
acos, asin, atan, atan2, acosh, asinh, atanh = arccos, arcsin, arctan, arctan2, arccosh, arcsinh, arctanh  # noqa: F821
degrees, radians = rad2deg, deg2rad  # noqa: F821


@_too
def right_shift(x, y, /):
    (a, b), found = _met(x, y)
    return computed(np.right_shift(a, np.minimum(b, dt.itemsize_bits(found) - 1)), found)


bitwise_right_shift = right_shift


@_too
def reciprocal(x, /):
    return true_divide(1.0, x)  # noqa: F821


@_too
def power(x, y, /):
    if isinstance(y, int) and not any_traced((x,)):
        x = asarray(x)
        if x.dtype.kind in "iu" and y < 0:
            raise ValueError("Integers to negative integer powers are not allowed.")
        with np.errstate(all="ignore"):
            out = computed(np.power(x._values, np.asarray(y, x._values.dtype)), x.dtype)
        out.weak_type = x.weak_type
        return out
    (a, b), found = _met(x, y)
    with np.errstate(all="ignore"):
        return computed(np.power(a, b), found)


pow = float_power = power


def divmod(x, y, /):
    return floor_divide(x, y), remainder(x, y)  # noqa: F821


@_too
def where(condition, x=None, y=None, /, *, size=None, fill_value=None):
    if x is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    (a, b), found = _met(x, y)
    return _kept_weak(np.where(asarray(condition)._values.astype(_TRUTH), a, b), found, (x, y))


@_too
def clip(arr, /, min=None, max=None):
    out = asarray(arr)
    out = out if min is None else maximum(out, min)  # noqa: F821
    return out if max is None else minimum(out, max)  # noqa: F821


@_too
def round(a, decimals=0, out=None):
    a = asarray(a)
    return a if a.dtype.kind in "biu" else computed(np.round(a._values, decimals), a.dtype)


around = round


# --- sums, extremes --------------------------------------------------------------------------------------------------


def _axes(axis):
    return axis if axis is None or isinstance(axis, int) else tuple(map(int, axis)) if isinstance(axis, (tuple, list)) else int(axis)


def _reduction(name, function, truth=False, widens=False, mean=False):
    def apply(a, axis=None, dtype=None, out=None, keepdims=False, *, initial=None, where=None, **options):
        a = asarray(a)
        found = a.dtype if dtype is None else dt.canonicalize_dtype(dtype)
        if truth:
            found = _TRUTH
        elif widens and dtype is None and found.kind == "b":
            found = np.dtype("int32")
        elif mean and found.kind != "f":
            found = np.dtype("float32")
        values = a._values
        if found.kind == "f" and values.dtype != np.float64:
            values = values.astype(np.float32)
        elif widens and found.kind in "iu":
            values = values.astype(found if not isinstance(found, dt.SmallDtype) else np.int32)
        given = {name: each for name, each in (("initial", initial), ("where", _values(where))) if each is not None}
        with np.errstate(all="ignore"):
            return computed(function(values, axis=_axes(axis), keepdims=keepdims, **given, **options), found)

    apply.__name__ = apply.__qualname__ = name
    inside = _too(apply)
    if not (widens or mean):
        return inside

    def in_f32(a, *arguments, dtype=None, **named):
        """Defines a reduction: floats of 16 bits are summed in f32 and rounded once, in kernels too."""
        small = dt.dtype_or_none(a.dtype) if arrays.is_traced(a) else None
        if small is None or small.kind != "f" or dt.itemsize_bits(small) != 16:
            return inside(a, *arguments, **named) if dtype is None else inside(a, *arguments, dtype=dtype, **named)
        return inside(a.astype(float32), *arguments, **named).astype(small if dtype is None else dtype)

    in_f32.__name__ = in_f32.__qualname__ = name
    return in_f32


sum = _reduction("sum", lambda x, **o: np.sum(x, dtype=x.dtype, **o), widens=True)
prod = _reduction("prod", lambda x, **o: np.prod(x, dtype=x.dtype, **o), widens=True)
max = amax = _reduction("max", np.max)
min = amin = _reduction("min", np.min)
mean = _reduction("mean", np.mean, mean=True)
var = _reduction("var", np.var, mean=True)
std = _reduction("std", np.std, mean=True)
all = _reduction("all", np.all, truth=True)
any = _reduction("any", np.any, truth=True)
nansum = _reduction("nansum", np.nansum, widens=True)
nanmax = _reduction("nanmax", np.nanmax)
nanmin = _reduction("nanmin", np.nanmin)
nanmean = _reduction("nanmean", np.nanmean, mean=True)
nanvar = _reduction("nanvar", np.nanvar, mean=True)
nanstd = _reduction("nanstd", np.nanstd, mean=True)
median = _reduction("median", np.median, mean=True)
ptp = _reduction("ptp", np.ptp)


def _running(name, function):
    def apply(a, axis=None, dtype=None, out=None):
        a = asarray(a)
        found = a.dtype if dtype is None else dt.canonicalize_dtype(dtype)
        found = np.dtype("int32") if found.kind == "b" else found
        return computed(function(a._values, axis=axis, dtype=np.float64 if found.kind == "f" else np.int64), found)

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


cumsum, cumprod = _running("cumsum", np.cumsum), _running("cumprod", np.cumprod)


def _places(name):
    def apply(a, axis=None, out=None, keepdims=False):
        a = asarray(a)
        return computed(getattr(np, name)(a._values, axis=axis, keepdims=keepdims), np.dtype("int32"))

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


argmax, argmin = _places("argmax"), _places("argmin")


@_too
def argsort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    a = asarray(a)
    values = a._values
    if descending:
        values = np.flip(values, axis)
        places = values.shape[axis] - 1 - np.argsort(values, axis=axis, kind="stable")
        return computed(np.flip(places, axis), np.dtype("int32"))
    return computed(np.argsort(values, axis=axis, kind="stable"), np.dtype("int32"))


@_too
def sort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    a = asarray(a)
    values = np.sort(a._values, axis=axis, kind="stable")
    return Array(np.flip(values, axis) if descending else values, a.dtype)


# --- products --------------------------------------------------------------------------------------------------------


def _product(name, function):
    """Defines a product. Small floats are summed in f32 and rounded once, and integers are summed in their own
    dtype."""

    def apply(*operands, precision=None, preferred_element_type=None, out_sharding=None, **options):
        values, found = _met(*operands)
        gives = found if preferred_element_type is None else dt.canonicalize_dtype(preferred_element_type)
        if found.kind == "f":
            values = [x.astype(np.float32) for x in values]
        elif gives.kind in "iu" and not isinstance(gives, dt.SmallDtype):
            values = [x.astype(gives) for x in values]
        return computed(function(*values, **options), gives)

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


dot, matmul, vdot, inner, outer, tensordot, kron, cross = (
    _product(name, getattr(np, name)) for name in ("dot", "matmul", "vdot", "inner", "outer", "tensordot", "kron", "cross")
)


@_too
def einsum(subscripts, /, *operands, precision=None, preferred_element_type=None, optimize="optimal", out_sharding=None):
    return _product("einsum", lambda *xs: np.einsum(subscripts, *xs, optimize=True))(
        *operands, preferred_element_type=preferred_element_type
    )


# --- shapes ----------------------------------------------------------------------------------------------------------


def _shaped(name, function=None):
    """Defines a function that moves the elements of one array."""
    function = function or getattr(np, name)

    def apply(a, *arguments, **named):
        a = asarray(a)
        out = function(a._values, *map(_values, arguments), **{key: _values(each) for key, each in named.items()})
        if isinstance(out, (list, tuple)):
            return [Array(np.asarray(part), a.dtype) for part in out]
        return Array(np.asarray(out), a.dtype, a.weak_type)

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


for _name in ("transpose", "permute_dims", "swapaxes", "moveaxis", "rollaxis", "ravel", "squeeze", "flip", "fliplr", "flipud", "roll", "rot90",
              "tile", "diagonal", "tril", "triu", "split", "array_split", "hsplit", "vsplit", "dsplit", "unstack", "diag", "diagflat",
              "atleast_1d", "atleast_2d", "atleast_3d", "compress", "resize", "delete", "matrix_transpose", "trim_zeros"):  # fmt: skip
    _other = {"permute_dims": np.transpose, "unstack": lambda x, axis=0: list(np.moveaxis(x, axis, 0)),
              "matrix_transpose": lambda x: np.swapaxes(x, -1, -2)}.get(_name)  # fmt: skip
    globals()[_name] = _shaped(_name, _other)


@_too
def reshape(a, shape=None, order="C", *, copy=None, newshape=None):
    return asarray(a).reshape(plain_shape(shape if shape is not None else newshape), order=order)


@_too
def broadcast_to(array, shape, *, out_sharding=None):
    array = asarray(array)
    return Array(np.broadcast_to(array._values, plain_shape(shape)), array.dtype, array.weak_type)


def broadcast_arrays(*arrays):
    shape = np.broadcast_shapes(*[x.shape for x in map(asarray, arrays)])
    return [broadcast_to(x, shape) for x in arrays]


broadcast_shapes = np.broadcast_shapes


@_too
def expand_dims(a, axis):
    a = asarray(a)
    return Array(np.expand_dims(a._values, axis), a.dtype, a.weak_type)


@_too
def repeat(a, repeats, axis=None, *, total_repeat_length=None, out_sharding=None):
    a = asarray(a)
    out = np.repeat(a._values, np.asarray(repeats), axis)
    if total_repeat_length is not None:
        along = 0 if axis is None else axis
        edge = np.take(out, [-1], along)
        while out.shape[along] < total_repeat_length:
            out = np.concatenate([out, edge], along)
        out = np.take(out, range(total_repeat_length), along)
    return Array(out, a.dtype)


def _joined(name):
    function = getattr(np, name)

    def apply(arrays, axis=0, dtype=None, **_):
        parts = [asarray(x) for x in arrays]
        found = result_type(*parts) if dtype is None else dt.canonicalize_dtype(dtype)
        values = [asarray(x, found)._values for x in parts]
        return Array(function(values, axis) if name in ("concatenate", "stack") else function(values), found)

    apply.__name__ = apply.__qualname__ = name
    inside = _too(apply)

    def joined(arrays_, axis=0, dtype=None, **options):
        if name == "concatenate" and any_traced(arrays_):
            return arrays._native.builtin("concatenate")(list(arrays_), axis=axis, dtype=dtype)
        options |= {} if dtype is None else {"dtype": dtype}
        return inside(arrays_, axis, **options) if name in ("concatenate", "stack") else inside(arrays_, **options)

    joined.__name__ = joined.__qualname__ = name
    return joined


concatenate, stack, hstack, vstack, dstack, column_stack = (
    _joined(name) for name in ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
)
concat = concatenate


@_too
def block(arrays):
    return asarray(np.block(_values(arrays)))


def append(arr, values, axis=None):
    if axis is None:
        arr, values, axis = ravel(arr), ravel(values), 0  # noqa: F821
    return concatenate([arr, values], axis)


@_too
def pad(array, pad_width, mode="constant", **options):
    array = asarray(array)
    width = np.asarray(pad_width).tolist()
    options = {name: _values(each) for name, each in options.items()}
    return Array(np.pad(array._values, width, mode, **options), array.dtype)


@_too
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    xi = [asarray(x) for x in xi]
    return [Array(out, x.dtype) for out, x in zip(np.meshgrid(*[x._values for x in xi], sparse=sparse, indexing=indexing), xi)]


@_too
def take(a, indices, axis=None, out=None, mode=None, **_):
    a = asarray(a)
    values, places = (a._values.reshape(-1), 0) if axis is None else (a._values, axis)
    size = values.shape[places]
    index = np.asarray(_values(indices))
    index = np.clip(np.where(index < 0, index + size, index), 0, builtins.max(size - 1, 0))
    return Array(np.asarray(np.take(values, index, places)), a.dtype)


@_too
def take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None):
    arr = asarray(arr)
    index = np.asarray(_values(indices)).astype(np.int64)
    return Array(np.take_along_axis(arr._values, index, axis), arr.dtype)


def put_along_axis(arr, indices, values, axis, inplace=True, **_):
    arr = asarray(arr)
    out = arr._values.copy()
    np.put_along_axis(out, np.asarray(_values(indices)).astype(np.int64), asarray(values, arr.dtype)._values, axis)
    return Array(out, arr.dtype)


# --- making arrays ---------------------------------------------------------------------------------------------------


def _filled(name, value):
    def make(shape, dtype=None, *, device=None, out_sharding=None):
        found = dt.canonicalize_dtype(float32 if dtype is None else dtype)
        carrier = found.carrier if isinstance(found, dt.SmallDtype) else found
        return Array(np.full(plain_shape(shape), value, carrier), found)

    def like(a, dtype=None, shape=None, *, device=None):
        return make(a.shape if shape is None else shape, dt.dtype(a.dtype if hasattr(a, "dtype") else asarray(a).dtype) if dtype is None else dtype)

    make.__name__ = make.__qualname__ = name
    like.__name__ = like.__qualname__ = f"{name}_like"
    return make, like


zeros, zeros_like = _filled("zeros", 0)
ones, ones_like = _filled("ones", 1)
empty, empty_like = _filled("empty", 0)


def full(shape, fill_value, dtype=None, *, device=None):
    if any_traced((fill_value,)):
        value = fill_value if dtype is None else asarray(fill_value, dtype)
        return wrapped(native("jax.numpy", "broadcast_to")(value, plain_shape(shape)))
    value = asarray(fill_value, dtype)
    return Array(np.array(np.broadcast_to(value._values, plain_shape(shape))), value.dtype)


def full_like(a, fill_value, dtype=None, shape=None, *, device=None):
    return full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


def arange(start, stop=None, step=None, dtype=None, **_):
    given = [x for x in (start, stop, step) if x is not None]
    if any_traced(given):
        return wrapped(native("jax.numpy", "arange")(*given, **({} if dtype is None else {"dtype": dtype})))
    given = [x.item() if isinstance(x, (Array, np.generic)) else x for x in given]
    if dtype is None:
        dtype = float32 if builtins.any(isinstance(x, float) for x in given) else int32
    start, stop, step = (0, given[0], 1) if stop is None else (given[0], given[1], given[2] if len(given) > 2 else 1)
    return computed(np.arange(start, stop, step), dt.canonicalize_dtype(dtype))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, **_):
    found = dt.canonicalize_dtype(float32 if dtype is None else dtype)
    values = np.linspace(np.asarray(_values(start), np.float64), np.asarray(_values(stop), np.float64), num, endpoint, axis=axis)
    out = computed(np.floor(values) if found.kind in "iu" else values, found)
    return (out, computed((np.asarray(stop) - np.asarray(start)) / builtins.max(num - endpoint, 1), found)) if retstep else out


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    return computed(np.logspace(start, stop, num, endpoint, base, axis=axis), dt.canonicalize_dtype(dtype or float32))


def eye(N, M=None, k=0, dtype=None, **_):
    return computed(np.eye(N, M, k), dt.canonicalize_dtype(dtype or float32))


def identity(n, dtype=None):
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=None):
    return computed(np.tri(N, M, k), dt.canonicalize_dtype(dtype or float32))


def indices(dimensions, dtype=int32, sparse=False):
    return computed(np.indices(plain_shape(dimensions)), dt.canonicalize_dtype(dtype))


def fromfunction(function, shape, *, dtype=float32, **options):
    return function(*indices(shape, dtype), **options)


def frombuffer(buffer, dtype=float32, count=-1, offset=0):
    return asarray(np.frombuffer(buffer, dt.dtype(dtype), count, offset))


# --- other functions over NumPy --------------------------------------------------------------------------------------


@_too
def nonzero(a, *, size=None, fill_value=None):
    found = np.nonzero(_values(asarray(a)))
    if size is not None:
        fill = 0 if fill_value is None else fill_value
        found = [np.concatenate([x[:size], np.full(builtins.max(size - len(x), 0), fill, x.dtype)]) for x in found]
    return tuple(asarray(x) for x in found)


def _lifted(name):
    """Defines a function of Arrays by NumPy's function of the same name. Float results keep the operands' dtype."""
    function = getattr(np, name)

    def apply(*arguments, **named):
        given = [x for x in arguments if isinstance(x, (Array, np.ndarray))]
        with np.errstate(all="ignore"):
            out = function(*map(_values, arguments), **{key: _values(each) for key, each in named.items()})

        def one(x):
            x = np.asarray(x)
            floats = [asarray(g).dtype for g in given if asarray(g).dtype.kind == "f"]
            return computed(x, floats[0]) if x.dtype.kind == "f" and floats else asarray(x)

        return type(out)(map(one, out)) if type(out) in (tuple, list) else one(out)

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


for _name in ("allclose", "array_equal", "isclose", "argwhere", "flatnonzero", "count_nonzero", "searchsorted", "digitize", "bincount",
              "histogram", "diff", "ediff1d", "interp", "trace", "percentile", "quantile", "average", "cov", "corrcoef", "convolve", "correlate",
              "unique", "isin", "union1d", "intersect1d", "setdiff1d", "partition", "argpartition", "lexsort", "nan_to_num", "select",
              "choose", "piecewise", "polyval", "unravel_index", "ravel_multi_index", "triu_indices", "tril_indices", "diag_indices",
              "nancumsum", "insert", "vander", "gradient", "apply_along_axis", "packbits", "unpackbits", "frexp", "ldexp", "modf",
              "hamming", "hanning", "bartlett", "blackman", "kaiser", "isreal", "iscomplex", "isneginf", "isposinf", "array_equiv"):  # fmt: skip
    globals()[_name] = _lifted(_name)
trapezoid = _lifted("trapezoid" if hasattr(np, "trapezoid") else "trapz")  # renamed in NumPy 2


def shape(a):
    return a.shape if hasattr(a, "shape") else np.shape(a)


def ndim(a):
    return len(shape(a))


def size(a, axis=None):
    sizes = shape(a)
    return math.prod(sizes) if axis is None else sizes[axis]


def isscalar(x):
    return np.isscalar(x) or (hasattr(x, "shape") and x.shape == ())


def iterable(x):
    return np.iterable(x)


def astype(x, dtype, /, *, copy=False, device=None):
    return x.astype(dtype)


def copy(a, order=None):
    a = asarray(a)
    return a if arrays.is_traced(a) else a.copy()


def can_cast(from_, to, casting="safe"):
    return np.can_cast(dt.dtype(from_), dt.dtype(to), casting)


def promote_operands(*operands):
    found = result_type(*operands)
    return [asarray(x, found) for x in operands]


def save(file, arr):
    np.save(file, np.asarray(arr))


def load(file, *arguments, **named):
    out = np.load(file, *arguments, **named)
    return asarray(out) if isinstance(out, np.ndarray) else out


def set_printoptions(*arguments, **named):
    np.set_printoptions(*arguments, **named)


printoptions = np.printoptions


def squareplus(x):
    from . import nn

    return nn.squareplus(x)


def bitcast(x, dtype):
    """The bits of the elements as another dtype. A smaller dtype adds one dimension."""
    x, to = asarray(x), dt.canonicalize_dtype(dtype)
    if isinstance(x.dtype, dt.SmallDtype) or isinstance(to, dt.SmallDtype):
        return _bitcast_small(x, to)
    a, b = x.dtype.itemsize, to.itemsize
    values = np.ascontiguousarray(x._values)
    if a == b:
        return Array(values.view(to), to)
    if a > b:
        return Array(values.reshape(values.shape + (1,)).view(to), to)
    return Array(values.view(to).reshape(values.shape[:-1]), to)


def _bitcast_small(x, to):
    if dt.itemsize_bits(x.dtype) != dt.itemsize_bits(to) and x.dtype.name != "bfloat16" and to.name != "bfloat16":
        out = arrays._native.builtin("bitcast")(x, to)
        return wrapped(out)
    if x.dtype.name == "bfloat16":
        bits = (np.ascontiguousarray(x._values).view(np.uint32) >> 16).astype(np.uint16)
        return bitcast(Array(bits, bits.dtype), to) if to.name != "bfloat16" else x
    if to.name == "bfloat16":
        wide = bitcast(x, np.uint16)._values.astype(np.uint32) << 16
        return Array(wide.view(np.float32), to)
    return wrapped(arrays._native.builtin("bitcast")(x, to))


arrays.bitcast = bitcast


# --- operators and methods of arrays ---------------------------------------------------------------------------------


def _operator(function, swapped=False):
    def apply(self, other):
        if type(other) is arrays._native.Value or not (
            isinstance(other, (Array, np.ndarray, np.generic, int, float, list, tuple)) or hasattr(other, "__jax_array__")
        ):
            return NotImplemented
        if isinstance(other, (list, tuple)):
            raise TypeError(f"an operand of JAX's arrays is an array or a number, not a {type(other).__name__}")
        return function(other, self) if swapped else function(self, other)

    return apply


def _add_members():
    names = globals()
    for name, function in (
        ("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "true_divide"), ("floordiv", "floor_divide"),
        ("mod", "remainder"), ("pow", "power"), ("matmul", "matmul"), ("and", "bitwise_and"), ("or", "bitwise_or"),
        ("xor", "bitwise_xor"), ("lshift", "left_shift"), ("rshift", "right_shift"), ("divmod", "divmod"),
    ):  # fmt: skip
        setattr(Array, f"__{name}__", _operator(names[function]))
        setattr(Array, f"__r{name}__", _operator(names[function], True))
    for name, function in (("eq", "equal"), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal")):
        setattr(Array, f"__{name}__", _operator(names[function]))
    for name, function in (("neg", "negative"), ("pos", "positive"), ("abs", "absolute"), ("invert", "invert")):
        setattr(Array, f"__{name}__", names[function])
    setattr(Array, "__round__", lambda self, digits=0: round(self, digits))
    for name in ("sum", "prod", "max", "min", "mean", "var", "std", "all", "any", "cumsum", "cumprod", "argmax", "argmin", "argsort",
                 "sort", "dot", "ravel", "squeeze", "swapaxes", "repeat", "take", "clip", "round", "nonzero", "diagonal", "conj", "trace",
                 "searchsorted", "ptp"):  # fmt: skip
        setattr(Array, name, names[name])


_add_members()
bool = bool_
asarray = _asarray  # noqa: F811
for _name in ("_name", "_function", "_other"):
    globals().pop(_name, None)
