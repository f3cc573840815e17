"""jax.lax: functions of arrays, loops and branches. In kernels they run on the device."""

import builtins
import enum
import functools
import math

import numpy as np

from . import MESSAGE, arrays, jnp, missing, shards, tree
from . import dtypes as dt
from .arrays import Array, any_traced, asarray, computed, in_kernel, in_kernels_too, is_traced, native, plain_shape, wrapped
from .control import cond, fori_loop, scan, switch, while_loop  # noqa: F401
from .shards import (  # noqa: F401
    all_gather, all_to_all, axis_index, axis_size, pmax, pmean, pmin, ppermute, psum, psum_scatter,
)  # fmt: skip

__getattr__ = missing("jax.lax")
_too = in_kernels_too("jax.lax")


class Precision(enum.Enum):
    """The precision of products. It has no effect: the host always sums products in f32."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


class RoundingMethod(enum.IntEnum):
    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


class GatherScatterMode(enum.Enum):
    CLIP = 0
    FILL_OR_DROP = 1
    PROMISE_IN_BOUNDS = 2


DotAlgorithmPreset = enum.Enum("DotAlgorithmPreset", "DEFAULT ANY_F8_ANY_F8_F32 F16_F16_F16 F16_F16_F32 BF16_BF16_BF16 BF16_BF16_F32 "
                               "BF16_BF16_F32_X3 TF32_TF32_F32 TF32_TF32_F32_X3 F32_F32_F32 F64_F64_F64")  # fmt: skip


def _named(function, name):
    """The function of jax.numpy under lax's name. For kernels' values, it calls lax's native function of that name."""

    @functools.wraps(function)
    def apply(*arguments, **named):
        return function(*arguments, **named)

    apply.__name__ = apply.__qualname__ = name
    return in_kernels_too("jax.lax", name)(apply)


for _name, _other in {
    "add": "add", "sub": "subtract", "mul": "multiply", "max": "maximum", "min": "minimum", "neg": "negative", "abs": "absolute",
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log1p": "log1p", "sqrt": "sqrt", "cbrt": "cbrt", "sin": "sin", "cos": "cos",
    "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2", "floor": "floor", "ceil": "ceil", "sign": "sign", "square": "square",
    "reciprocal": "reciprocal", "is_finite": "isfinite", "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor", "bitwise_not": "invert",
    "shift_left": "left_shift", "nextafter": "nextafter", "pow": "power", "integer_pow": "power",
}.items():  # fmt: skip
    globals()[_name] = _named(getattr(jnp, _other), _name)


def _round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    x = asarray(x)
    if rounding_method == RoundingMethod.TO_NEAREST_EVEN or x.dtype.kind != "f":
        return jnp.round(x)
    return computed(np.sign(x._values) * np.floor(np.abs(x._values) + np.asarray(0.5, x._values.dtype)), x.dtype)


def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    """The nearest integer. Depending on the method, halves are rounded away from zero, or to the even integer."""
    if not any_traced((x,)):
        return _round(x, rounding_method)
    from .. import _native

    halves = "even" if rounding_method == RoundingMethod.TO_NEAREST_EVEN else "away"
    return _native.builtin("round")(x, halves=halves)


@_too
def rsqrt(x):
    return jnp.reciprocal(jnp.sqrt(x)) if asarray(x).dtype.kind == "f" else jnp.true_divide(1.0, jnp.sqrt(x))


@_too
def logistic(x):
    return jnp.true_divide(1.0, jnp.exp(jnp.negative(x)) + 1)


@_too
def erf(x):
    x = asarray(x)
    return computed(np.vectorize(math.erf, otypes=[np.float64])(x._values.astype(np.float64)), x.dtype if x.dtype.kind == "f" else np.dtype("float32"))


@_too
def erfc(x):
    x = asarray(x)
    return computed(np.vectorize(math.erfc, otypes=[np.float64])(x._values.astype(np.float64)), x.dtype if x.dtype.kind == "f" else np.dtype("float32"))


@_too
def lgamma(x):
    x = asarray(x)
    return computed(np.vectorize(math.lgamma, otypes=[np.float64])(x._values.astype(np.float64)), x.dtype)


@_too
def div(x, y):
    """x / y. The quotient of integers is rounded towards zero."""
    found = dt.result_type(x, y)
    if found.kind == "f":
        return jnp.true_divide(x, y)
    a, b = asarray(x, found)._values.astype(np.int64), asarray(y, found)._values.astype(np.int64)
    out = np.where(b == 0, -1, np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(np.where(b == 0, 1, b))))
    return int(out) if isinstance(x, int) and isinstance(y, int) and in_kernel() else computed(out, found)


@_too
def rem(x, y):
    """The remainder of x / y, with the sign of x."""
    found = dt.result_type(x, y)
    a, b = asarray(x, found)._values, asarray(y, found)._values
    with np.errstate(all="ignore"):
        out = np.fmod(a, b) if found.kind == "f" else np.where(b == 0, a, np.fmod(a, np.where(b == 0, 1, b)))
    return int(out) if isinstance(x, int) and isinstance(y, int) and in_kernel() else computed(out, found)


@_too
def shift_right_arithmetic(x, y):
    x = asarray(x)
    bits = dt.itemsize_bits(x.dtype)
    signed = x._values.view(f"int{bits}")
    count = np.clip(asarray(y)._values.astype(np.int64), 0, bits - 1).astype(signed.dtype)
    return Array((signed >> count).view(x._values.dtype), x.dtype)


@_too
def shift_right_logical(x, y):
    x = asarray(x)
    bits = dt.itemsize_bits(x.dtype)
    unsigned = x._values.view(f"uint{bits}")
    count = asarray(y)._values.astype(unsigned.dtype)
    out = np.where(count >= bits, 0, unsigned >> np.minimum(count, bits - 1)).astype(unsigned.dtype)
    return Array(out.view(x._values.dtype), x.dtype)


@_too
def clz(x):
    x = asarray(x)
    bits = dt.itemsize_bits(x.dtype)
    unsigned = x._values.astype(f"uint{bits}")
    return computed(bits - np.ceil(np.log2(unsigned.astype(np.float64) + 1)), x.dtype)


@_too
def population_count(x):
    x = asarray(x)
    bits = dt.itemsize_bits(x.dtype)
    unsigned = x._values.view(f"uint{bits}")
    return computed(builtins.sum(((unsigned >> np.asarray(i, unsigned.dtype)) & 1 for i in range(bits)), np.zeros_like(unsigned)), x.dtype)


@_too
def clamp(min, x, max):
    return jnp.minimum(jnp.maximum(x, min), max)


@_too
def select(pred, on_true, on_false):
    return jnp.where(pred, on_true, on_false)


def select_n(which, *cases):
    if any_traced((which, *cases)):
        if len(cases) != 2:
            raise NotImplementedError(f"`lax.select_n` of {len(cases)} cases is {MESSAGE}")
        return wrapped(native("jax.lax", "select")(which, cases[1], cases[0]))
    which = asarray(which)
    cases = jnp.promote_operands(*cases)
    return Array(np.choose(which._values.astype(np.int64), [np.broadcast_to(x._values, cases[0].shape) for x in cases]), cases[0].dtype)


def convert_element_type(operand, new_dtype):
    return asarray(operand, new_dtype)


def bitcast_convert_type(operand, new_dtype):
    new_dtype = dt.canonicalize_dtype(new_dtype)
    if any_traced((operand,)):
        return native("jax.lax", "bitcast_convert_type")(operand, new_dtype)
    return jnp.bitcast(operand, new_dtype)


@_too
def optimization_barrier(operand):
    return operand


def stop_gradient(x):
    return x


# --- shapes ----------------------------------------------------------------------------------------------------------


def broadcast_in_dim(operand, shape, broadcast_dimensions, **options):
    """The operand broadcast to `shape`. Its dimension i becomes dimension `broadcast_dimensions[i]`."""
    shape, dims = plain_shape(shape), plain_shape(broadcast_dimensions)
    if is_traced(operand):
        return native("jax.lax", "broadcast_in_dim")(operand, shape, dims)
    operand = asarray(operand)
    sizes = [1] * len(shape)
    for n, d in zip(operand.shape, dims):
        sizes[d] = n
    return jnp.broadcast_to(operand.reshape(tuple(sizes)), shape)


def broadcasted_iota(dtype, shape, dimension, **options):
    """The index of each element along a dimension."""
    shape = plain_shape(shape)
    if in_kernel():
        return native("jax.lax", "broadcasted_iota")(dt.dtype(dtype), shape, dimension, **options)
    found = dt.canonicalize_dtype(dtype)
    line = np.arange(shape[dimension]).reshape([-1 if i == dimension else 1 for i in range(len(shape))])
    return computed(np.broadcast_to(line, shape), found)


def iota(dtype, size):
    if in_kernel():
        return native("jax.lax", "broadcasted_iota")(dt.dtype(dtype), (int(size),), 0)
    return jnp.arange(size, dtype=dtype)


@_too
def broadcast(operand, sizes):
    return jnp.broadcast_to(operand, (*sizes, *jnp.shape(operand)))


@_too
def expand_dims(array, dimensions):
    return jnp.expand_dims(array, tuple(dimensions))


@_too
def squeeze(array, dimensions):
    return jnp.squeeze(array, tuple(dimensions))


@_too
def reshape(operand, new_sizes, dimensions=None):
    return jnp.reshape(operand, new_sizes)


@_too
def transpose(operand, permutation):
    return jnp.transpose(operand, tuple(permutation))


def concatenate(operands, dimension):
    return jnp.concatenate(operands, dimension)


@_too
def rev(operand, dimensions):
    return jnp.flip(operand, tuple(dimensions))


def collapse(operand, start_dimension, stop_dimension=None):
    stop = operand.ndim if stop_dimension is None else stop_dimension
    return operand.reshape(operand.shape[:start_dimension] + (-1,) + operand.shape[stop:])


@_too
def slice(operand, start_indices, limit_indices, strides=None):
    steps = (1,) * len(start_indices) if strides is None else strides
    return operand[tuple(builtins.slice(a, b, n) for a, b, n in zip(start_indices, limit_indices, steps))]


@_too
def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
    return operand[(builtins.slice(None),) * (axis % operand.ndim) + (builtins.slice(start_index, limit_index, stride),)]


def _starts(start_indices, sizes, shape):
    given = list(start_indices) if isinstance(start_indices, (tuple, list)) else np.asarray(start_indices).tolist()
    return [builtins.max(0, builtins.min(int(a), n - size)) for a, size, n in zip(given, sizes, shape)]


@_too
def dynamic_slice(operand, start_indices, slice_sizes):
    places = _starts(start_indices, slice_sizes, operand.shape)
    return operand[tuple(builtins.slice(a, a + n) for a, n in zip(places, slice_sizes))]


@_too
def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0):
    axis = axis % operand.ndim
    sizes = [slice_size if i == axis else n for i, n in enumerate(operand.shape)]
    return dynamic_slice(operand, [start_index if i == axis else 0 for i in range(operand.ndim)], sizes)


@_too
def dynamic_index_in_dim(operand, index, axis=0, keepdims=True):
    out = dynamic_slice_in_dim(operand, index, 1, axis)
    return out if keepdims else jnp.squeeze(out, axis)


index_in_dim = dynamic_index_in_dim


@_too
def dynamic_update_slice(operand, update, start_indices):
    operand, update = asarray(operand), asarray(update)
    places = _starts(start_indices, update.shape, operand.shape)
    return operand.at[tuple(builtins.slice(a, a + n) for a, n in zip(places, update.shape))].set(update)


@_too
def dynamic_update_slice_in_dim(operand, update, start_index, axis):
    operand = asarray(operand)
    axis = axis % operand.ndim
    return dynamic_update_slice(operand, update, [start_index if i == axis else 0 for i in range(operand.ndim)])


@_too
def dynamic_update_index_in_dim(operand, update, index, axis):
    update = asarray(update)
    update = jnp.expand_dims(update, axis) if update.ndim < operand.ndim else update
    return dynamic_update_slice_in_dim(operand, update, index, axis)


def pad(operand, padding_value, padding_config):
    """Adds elements before, after and between the operand's elements along each dimension. Negative numbers remove
    elements."""
    x = asarray(operand)
    wide = np.full([n + builtins.max(n - 1, 0) * inner for n, (_, _, inner) in zip(x.shape, padding_config)], padding_value, x._values.dtype)
    wide[tuple(builtins.slice(None, None, inner + 1) for _, _, inner in padding_config)] = x._values
    out = np.pad(wide, [(builtins.max(a, 0), builtins.max(b, 0)) for a, b, _ in padding_config], constant_values=padding_value)
    cut = tuple(builtins.slice(builtins.max(-a, 0), n - builtins.max(-b, 0)) for n, (a, b, _) in zip(out.shape, padding_config))
    return Array(out[cut], x.dtype)


@_too
def split(operand, sizes, axis=0):
    return jnp.split(operand, np.cumsum(sizes)[:-1].tolist(), axis)


broadcast_shapes = np.broadcast_shapes


# --- sums, order, products -------------------------------------------------------------------------------------------


def _reduced(name, function):
    def apply(operand, axes, **_):
        return function(operand, axis=tuple(axes))

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


reduce_sum, reduce_max, reduce_min, reduce_prod, reduce_and, reduce_or = (
    _reduced(f"reduce_{name}", getattr(jnp, other))
    for name, other in (("sum", "sum"), ("max", "max"), ("min", "min"), ("prod", "prod"), ("and", "all"), ("or", "any"))
)


def _running(name, accumulate):
    def apply(operand, axis=0, reverse=False):
        operand = asarray(operand)
        values = np.flip(operand._values, axis) if reverse else operand._values
        wide = values.astype(np.float32) if operand.dtype.kind == "f" else values
        out = accumulate(wide, axis=axis)
        return computed(np.flip(out, axis) if reverse else out, operand.dtype)

    apply.__name__ = apply.__qualname__ = name
    return _too(apply)


cumsum = _running("cumsum", np.cumsum)
cumprod = _running("cumprod", np.cumprod)
cummax = _running("cummax", np.maximum.accumulate)
cummin = _running("cummin", np.minimum.accumulate)


@_too
def argmax(operand, axis, index_dtype=np.int32):
    return jnp.argmax(operand, axis).astype(index_dtype)


@_too
def argmin(operand, axis, index_dtype=np.int32):
    return jnp.argmin(operand, axis).astype(index_dtype)


@_too
def sort(operand, dimension=-1, is_stable=True, num_keys=1):
    if not isinstance(operand, (tuple, list)):
        return jnp.sort(operand, dimension)
    operands = [asarray(x) for x in operand]
    keys = [np.moveaxis(x._values, dimension, -1) for x in operands]
    order = np.lexsort(keys[:num_keys][::-1], axis=-1)
    return tuple(Array(np.moveaxis(np.take_along_axis(key, order, -1), -1, dimension), x.dtype) for key, x in zip(keys, operands))


def sort_key_val(keys, values, dimension=-1, is_stable=True):
    return sort((keys, values), dimension)


@_too
def top_k(operand, k, *, axis=-1):
    x = asarray(operand)
    places = jnp.argsort(x, axis, descending=True)
    places = jnp.take(places, np.arange(k), axis)
    found = Array(np.take_along_axis(x._values, places._values.astype(np.int64), axis), x.dtype)
    return [found, places]


@_too
def dot(lhs, rhs, *, dimension_numbers=None, precision=None, preferred_element_type=None, out_sharding=None):
    if dimension_numbers is not None:
        return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type)
    return jnp.dot(lhs, rhs, preferred_element_type=preferred_element_type)


@_too
def batch_matmul(lhs, rhs, precision=None):
    return jnp.matmul(lhs, rhs)


def _letters(lhs, rhs, dimension_numbers):
    (over_l, over_r), (batch_l, batch_r) = dimension_numbers
    names = "abcdefghijklmnopqrstuvwxyz"
    left, right = list(names[: lhs.ndim]), list(names[lhs.ndim : lhs.ndim + rhs.ndim])
    for i, j in [*zip(over_l, over_r), *zip(batch_l, batch_r)]:
        right[j] = left[i]
    batch = [left[i] for i in batch_l]
    gone = batch + [left[i] for i in over_l]
    out = batch + [c for c in left if c not in gone] + [c for c in right if c not in gone]
    return f"{''.join(left)},{''.join(right)}->{''.join(out)}"


def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, **_):
    """Sums of products over the contracting dimensions. The dimension numbers are ((lhs, rhs) contracting, (lhs,
    rhs) batched)."""
    if any_traced((lhs, rhs)):
        raise NotImplementedError("products in kernels are `plgpu.wgmma(acc, a, b)` or `plgpu.mma`")
    lhs, rhs = asarray(lhs), asarray(rhs)
    return jnp.einsum(_letters(lhs, rhs, dimension_numbers), lhs, rhs, preferred_element_type=preferred_element_type)


class RaggedDotDimensionNumbers:
    """The dimensions that a ragged product contracts and batches, and the group dimensions of lhs and rhs."""

    def __init__(self, dot_dimension_numbers, lhs_ragged_dimensions, rhs_group_dimensions):
        self.dot_dimension_numbers = dot_dimension_numbers
        self.lhs_ragged_dimensions = list(lhs_ragged_dimensions)
        self.rhs_group_dimensions = list(rhs_group_dimensions)


def ragged_dot_general(lhs, rhs, group_sizes, ragged_dot_dimension_numbers, precision=None, preferred_element_type=None, group_offset=None):
    """A product for each group of rows of lhs, or for each group of elements of a contracted dimension. Elements in
    no group count as 0."""
    lhs, rhs, numbers = asarray(lhs), asarray(rhs), ragged_dot_dimension_numbers
    (over_l, over_r), (batch_l, batch_r) = numbers.dot_dimension_numbers
    if len(numbers.lhs_ragged_dimensions) != 1 or group_offset is not None or batch_l:
        raise NotImplementedError(f"`lax.ragged_dot_general` with batches or `group_offset` is {MESSAGE}")
    ragged, ends = numbers.lhs_ragged_dimensions[0], np.cumsum(np.asarray(group_sizes)).tolist()
    starts = [0, *ends[:-1]]

    def cut(x, axis, a, b):
        return x[(builtins.slice(None),) * axis + (builtins.slice(a, b),)]

    def product(a, b, over):
        return dot_general(a, b, (over, (batch_l, batch_r)), preferred_element_type=preferred_element_type)

    if ragged in over_l:
        other = over_r[list(over_l).index(ragged)]
        return jnp.stack([product(cut(lhs, ragged, a, b), cut(rhs, other, a, b), (over_l, over_r)) for a, b in zip(starts, ends)])
    (group,) = numbers.rhs_group_dimensions
    lower = tuple(axis - (axis > group) for axis in over_r)
    place = len([d for d in range(ragged) if d not in over_l])
    parts = [product(cut(lhs, ragged, a, b), jnp.take(rhs, i, group), (over_l, lower)) for i, (a, b) in enumerate(zip(starts, ends))]
    if ends[-1] < lhs.shape[ragged]:
        parts.append(jnp.zeros_like(product(cut(lhs, ragged, ends[-1], lhs.shape[ragged]), jnp.take(rhs, 0, group), (over_l, lower))))
    return jnp.concatenate(parts, place)


def ragged_dot(lhs, rhs, group_sizes, precision=None, preferred_element_type=None, group_offset=None):
    """The product (m, n) of each group of rows of lhs (m, k) with the group's matrix of rhs (g, k, n)."""
    return ragged_dot_general(lhs, rhs, group_sizes, RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0]), precision,
                              preferred_element_type, group_offset)  # fmt: skip


def full(shape, fill_value, dtype=None, **_):
    return jnp.full(shape, fill_value, dtype)


def full_like(x, fill_value, dtype=None, shape=None, **_):
    return jnp.full_like(x, fill_value, dtype, shape)


def empty(shape, dtype, **_):
    return jnp.zeros(shape, dtype)


def zeros_like_array(x):
    return jnp.zeros_like(x)


def reduce_precision(operand, exponent_bits, mantissa_bits):
    formats = {(8, 7): "bfloat16", (5, 10): "float16", (8, 23): "float32"}
    if (exponent_bits, mantissa_bits) not in formats:
        raise NotImplementedError(f"`lax.reduce_precision` to other formats than those of bfloat16, float16 and float32 is {MESSAGE}")
    return operand.astype(formats[exponent_bits, mantissa_bits]).astype(operand.dtype)


def map(f, xs, *, batch_size=None):
    """The results of f for the rows of xs, stacked."""
    return scan(lambda _, x: (None, f(x)), None, xs)[1]


def associative_scan(fn, elems, reverse=False, axis=0):
    """Combines each element with all elements before it by `fn`, at distances 1, 2, 4, …"""
    x = tree.map(lambda leaf: jnp.flip(jnp.moveaxis(leaf, axis, 0), 0) if reverse else jnp.moveaxis(leaf, axis, 0), elems)
    count, reach = tree.leaves(x)[0].shape[0], 1
    while reach < count:
        later = fn(tree.map(lambda leaf: leaf[:-reach], x), tree.map(lambda leaf: leaf[reach:], x))
        x = tree.map(lambda leaf, new: jnp.concatenate([leaf[:reach], new], 0), x, later)
        reach *= 2
    return tree.map(lambda leaf: jnp.moveaxis(jnp.flip(leaf, 0) if reverse else leaf, 0, axis), x)


def dtype(x):
    return asarray(x).dtype


for _name in ("_name", "_other"):
    globals().pop(_name, None)
