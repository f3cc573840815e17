# What numpy and jax.numpy have in common, put together of natives and builtins. Read once for each of the two: names
# such as `zeros` and `concatenate` are the module's own natives, so that dtypes are its own. Most of it serves traced
# arrays of kernels too, for it is made of operators.

pi = 3.141592653589793
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None

# --- reductions: the builtins with NumPy's parameters. In this text `sum` and `max` are the builtins, Python's too.

def _part(x, dtype, out, where, neutral):
  """What is reduced: an array, with the neutral element where `where` does not hold."""
  if out is not None:
    raise NotImplementedError("there is no `out=` here: write `name = …`")
  x = x if hasattr(x, "dtype") else asarray(x)
  x = x if dtype is None else x.astype(dtype)
  return x if where is None else select(where, x, neutral)

def _axes(axis):
  return tuple(axis) if isinstance(axis, list) else axis

def _sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
  """The sum over `axis`, an int or a tuple; of all elements without it."""
  total = sum(_part(a, dtype, out, where, 0), axis=_axes(axis), keepdims=keepdims)
  return total if initial is None else total + initial

def _mean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
  """The mean over `axis`, an int or a tuple; of all elements without it."""
  x = _part(a, dtype, out, None, 0)
  if where is None:
    return mean(x, axis=_axes(axis), keepdims=keepdims)
  return sum(select(where, x, 0), axis=_axes(axis), keepdims=keepdims) / sum(where, axis=_axes(axis), keepdims=keepdims)

def _max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
  """The largest element over `axis`, an int or a tuple; of all without it."""
  if where is not None and initial is None:
    raise ValueError("with `where`, `initial` says what the largest of nothing is")
  top = max(_part(a, None, out, where, initial), axis=_axes(axis), keepdims=keepdims)
  return top if initial is None else maximum(top, initial)

def _min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
  """The smallest element over `axis`, an int or a tuple; of all without it."""
  if where is not None and initial is None:
    raise ValueError("with `where`, `initial` says what the smallest of nothing is")
  low = min(_part(a, None, out, where, initial), axis=_axes(axis), keepdims=keepdims)
  return low if initial is None else minimum(low, initial)

def _any(a, axis=None, out=None, keepdims=False, where=None):
  """Whether some element is true, over `axis`."""
  return any(_part(a, None, out, where, False), axis=_axes(axis), keepdims=keepdims)

def _all(a, axis=None, out=None, keepdims=False, where=None):
  """Whether every element is true, over `axis`."""
  return all(_part(a, None, out, where, True), axis=_axes(axis), keepdims=keepdims)

# --- functions of elements: natives on the host, the kernel language's functions of traced arrays

def logistic(x):
  return _builtin_logistic(x) if _traced(x) else _logistic(x)

def _traced(x):
  """Whether x is an array of a kernel."""
  return hasattr(x, "dtype") and not hasattr(x, "nbytes")

def floor(x):
  return _builtin_floor(x) if _traced(x) else _floor(x)

def ceil(x):
  return _builtin_ceil(x) if _traced(x) else _ceil(x)

def trunc(x):
  return select(x < 0, _builtin_ceil(x), _builtin_floor(x)) if _traced(x) else _trunc(x)

def rint(x):
  """The nearest integer, half to even."""
  if not _traced(x):
    return _rint(x)
  if x.dtype.kind != "f":
    return x
  wide = x.astype(f32)
  return select(abs(wide) < 4194304.0, (wide + 12582912.0) - 12582912.0, wide).astype(x.dtype)

def sign(x):
  if _traced(x):
    return _builtin_sign(x)
  x = asarray(x)
  return select(x > 0, 1, select(x < 0, -1, x)).astype(x.dtype)

def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
  """The product over `axis`, an int or a tuple; of all elements without it."""
  total = _builtin_prod(_part(a, dtype, out, where, 1), axis=_axes(axis), keepdims=keepdims)
  return total if initial is None else total * initial

def log1p(x):
  if not _traced(x):
    return _log1p(x)
  u = 1.0 + x
  return select(u == 1.0, x, log(u) * x / select(u == 1.0, 1.0, u - 1.0))

def expm1(x):
  if not _traced(x):
    return _expm1(x)
  u = exp(x)
  small = abs(x) < 0.5
  exact = small & (u != 1.0)
  return select(exact, (u - 1.0) * x / log(select(exact, u, 2.0)), select(u == 1.0, x, u - 1.0))

def log10(x):
  return log(x) * 0.4342944819032518 if _traced(x) else _log10(x)

def tan(x):
  return sin(x) / cos(x) if _traced(x) else _tan(x)

def sinh(x):
  return (exp(x) - exp(-x)) * 0.5 if _traced(x) else _sinh(x)

def cosh(x):
  return (exp(x) + exp(-x)) * 0.5 if _traced(x) else _cosh(x)

def isnan(x):
  return x != x if _traced(x) else _isnan(x)

def isinf(x):
  return abs(x) == inf if _traced(x) else _isinf(x)

def isfinite(x):
  return abs(x) < inf if _traced(x) else _isfinite(x)

def arctan2(y, x):
  return _builtin_atan2(y, x) if _traced(x) or _traced(y) else _arctan2(y, x)

def hypot(x, y):
  return sqrt(x * x + y * y) if _traced(x) or _traced(y) else _hypot(x, y)

def copysign(x, y):
  return _builtin_copysign(x, y) if _traced(x) or _traced(y) else _copysign(x, y)

def fmod(x, y):
  return _builtin_fmod(x, y) if _traced(x) or _traced(y) else _fmod(x, y)

def fmax(x, y):
  return maximum(x, y) if _traced(x) or _traced(y) else _fmax(x, y)

def fmin(x, y):
  return minimum(x, y) if _traced(x) or _traced(y) else _fmin(x, y)

def logaddexp(x, y):
  if not _traced(x) and not _traced(y):
    return _logaddexp(x, y)
  return maximum(x, y) + log1p(exp(-abs(x - y)))

def where(condition, x=None, y=None):
  """x where the condition holds, y elsewhere; with the condition alone, where it holds."""
  if (x is None) != (y is None):
    raise ValueError("`where` takes a condition alone, or with both values: where(condition, x, y)")
  return nonzero(_operand(condition)) if x is None else select(_operand(condition), _operand(x), _operand(y))

def square(x):
  return x * x

def negative(x):
  return -x

def positive(x):
  return x

def reciprocal(x):
  return 1 / x

def invert(x):
  return ~x

bitwise_not = invert

def logical_not(x):
  x = _operand(x)
  return x == 0 if ndim(x) > 0 or not _is_truth(x) else ~x

def _is_truth(x):
  return _dtype_of(x) == i1

def _dtype_of(x):
  return x.dtype if hasattr(x, "dtype") else asarray(x).dtype

def _operand(x):
  """x, where it is a list, as an array."""
  return asarray(x) if isinstance(x, (list, tuple)) else x

def _truth_of(x):
  x = _operand(x)
  return x if _dtype_of(x) == i1 else x != 0

def logical_and(x, y):
  return _truth_of(x) & _truth_of(y)

def logical_or(x, y):
  return _truth_of(x) | _truth_of(y)

def logical_xor(x, y):
  return _truth_of(x) ^ _truth_of(y)

def clip(x, min=None, max=None, a_min=None, a_max=None):
  """Each element, no smaller than `min` and no larger than `max`."""
  low, high = a_min if min is None else min, a_max if max is None else max
  out = x if hasattr(x, "dtype") else asarray(x)
  if low is not None:
    out = maximum(out, low)
  return out if high is None else minimum(out, high)

def ndim(x):
  return x.ndim if hasattr(x, "ndim") else asarray(x).ndim

def shape(x):
  return x.shape if hasattr(x, "shape") else asarray(x).shape

def size(x):
  return x.size if hasattr(x, "size") else asarray(x).size

def astype(x, dtype):
  return x.astype(dtype)

def copy(x):
  return asarray(x).copy()

def ravel(x, order="C"):
  ordered = _transposed(x) if order == "F" else x
  return _raveled(ordered) if isinstance(ordered, ndarray) else reshape(ordered, (-1,))

def _transposed(x):
  return transpose(asarray(x))

def _reshape(x, shape=None, order="C", *, newshape=None, copy=None):
  """The elements in the same order under another shape, row by row, or with order "F" column by column."""
  sizes = newshape if shape is None else shape
  if order != "F":
    return reshape(x, sizes)
  sizes = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
  return transpose(reshape(_transposed(x), tuple(reversed(sizes))))

def identity(n, dtype=None):
  return eye(n, dtype=dtype)

def _as_axes(axis, rank):
  axes = axis if isinstance(axis, (tuple, list)) else (axis,)
  return [a + rank if a < 0 else a for a in axes]

def expand_dims(x, axis):
  """x with dimensions of size 1 at `axis`."""
  axes = _as_axes(axis, ndim(x) + (len(axis) if isinstance(axis, (tuple, list)) else 1))
  x = x if hasattr(x, "dtype") else asarray(x)
  return x[tuple([None if i in axes else slice(None) for i in static_range(x.ndim + len(axes))])]

def squeeze(x, axis=None):
  """x without dimensions of size 1."""
  sizes = shape(x)
  gone = [i for i, n in enumerate(sizes) if n == 1] if axis is None else _as_axes(axis, len(sizes))
  for i in gone:
    if sizes[i] != 1:
      raise ValueError(f"dimension {i} of size {sizes[i]} cannot be squeezed out: its size is not 1")
  return reshape(x, tuple([n for i, n in enumerate(sizes) if i not in gone]))

def swapaxes(x, axis1, axis2):
  order = list(static_range(ndim(x)))
  a, b = _as_axes((axis1, axis2), len(order))
  order[a], order[b] = order[b], order[a]
  return transpose(x, tuple(order))

def moveaxis(x, source, destination):
  a, b = _as_axes(source, ndim(x)), _as_axes(destination, ndim(x))
  order = [i for i in static_range(ndim(x)) if i not in a]
  for where_to, where_from in sorted(list(zip(b, a))):
    order.insert(where_to, where_from)
  return transpose(x, tuple(order))

def stack(arrays, axis=0):
  """The arrays along a new axis."""
  return concatenate([expand_dims(asarray(a), axis) for a in arrays], axis)

def vstack(arrays):
  return concatenate([asarray(a) if ndim(a) > 1 else reshape(asarray(a), (1, -1)) for a in arrays], 0)

def hstack(arrays):
  arrays = [asarray(a) for a in arrays]
  return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)

def array_split(x, sections, axis=0):
  n = shape(x)[axis]
  each, more = n // sections, n % sections
  bounds = [0]
  for i in static_range(sections):
    bounds.append(bounds[-1] + each + (1 if i < more else 0))
  return _parts_between(x, bounds, axis)

def _parts_between(x, bounds, axis):
  lead = (slice(None),) * (axis if axis >= 0 else axis + ndim(x))
  return [x[lead + (slice(a, b),)] for a, b in zip(bounds[:-1], bounds[1:])]

def split(x, sections, axis=0):
  """Equal parts along an axis, or those between the given places."""
  x = _operand(x)
  n = shape(x)[axis]
  if isinstance(sections, int):
    if n % sections != 0:
      raise ValueError(f"{n} rows do not split into {sections} equal parts")
    return array_split(x, sections, axis)
  return _parts_between(x, [0] + list(sections) + [n], axis)

def tile(x, reps):
  """x repeated along its axes."""
  reps = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
  x = asarray(x)
  rank = max(len(reps), x.ndim)
  reps, sizes = (1,) * (rank - len(reps)) + reps, (1,) * (rank - x.ndim) + x.shape
  wide = reshape(x, tuple([n for s in sizes for n in (1, s)]))
  wide = broadcast_to(wide, tuple([n for r, s in zip(reps, sizes) for n in (r, s)]))
  return reshape(wide, tuple([r * s for r, s in zip(reps, sizes)]))

def flip(x, axis=None):
  x = _operand(x)
  axes = list(static_range(ndim(x))) if axis is None else _as_axes(axis, ndim(x))
  return x[tuple([slice(None, None, -1) if i in axes else slice(None) for i in static_range(ndim(x))])]

def roll(x, shift, axis=None):
  x = _operand(x)
  if axis is None:
    return reshape(roll(ravel(x), shift, 0), shape(x))
  n = shape(x)[axis]
  return take(x, (arange(n) - shift) % n, axis)

def take(x, indices, axis=None):
  x = _operand(x)
  """The elements at `indices` along an axis."""
  if axis is None:
    return ravel(x)[asarray(indices)]
  lead = (slice(None),) * _as_axes(axis, ndim(x))[0]
  return x[lead + (asarray(indices),)]

def take_along_axis(x, indices, axis):
  axis = _as_axes(axis, ndim(x))[0]
  index = []
  for i, n in enumerate(shape(indices)):
    if i == axis:
      index.append(indices)
    else:
      index.append(reshape(arange(n), (1,) * i + (n,) + (1,) * (ndim(indices) - i - 1)))
  return x[tuple(index)]

def tril(x, k=0):
  """x with zeros above diagonal k."""
  x = _operand(x)
  rows, columns = shape(x)[-2:]
  keep = reshape(arange(rows), (rows, 1)) >= reshape(arange(columns), (1, columns)) - k
  return select(keep, x, zeros((), _dtype_of(x)))

def triu(x, k=0):
  """x with zeros below diagonal k."""
  x = _operand(x)
  rows, columns = shape(x)[-2:]
  keep = reshape(arange(rows), (rows, 1)) <= reshape(arange(columns), (1, columns)) - k
  return select(keep, x, zeros((), _dtype_of(x)))

def tri(rows, columns=None, k=0, dtype=None):
  return tril(ones((rows, rows if columns is None else columns), dtype), k)

def diag(x, k=0):
  """The diagonal of a matrix, or a matrix of a diagonal."""
  x = _operand(x)
  if ndim(x) == 2:
    rows, columns = shape(x)
    n = min(rows + min(k, 0), columns - max(k, 0))
    return x[arange(n) + max(-k, 0), arange(n) + max(k, 0)]
  n = size(x) + abs(k)
  out = zeros((n, n), _dtype_of(x))
  places = arange(size(x))
  return out.at[places + max(-k, 0), places + max(k, 0)].set(x)

diagonal = diag

def trace(x, offset=0):
  return sum(diag(x, offset))

def _full(shape, fill_value, dtype=None, order="C"):
  """An array with one number everywhere, or with the elements of an array spread over it."""
  if ndim(fill_value) == 0:
    return full(shape, fill_value, dtype)
  return broadcast_to(asarray(fill_value, dtype), shape).copy()

def _select_list(condlist, choicelist, default=0):
  """The choice of the first condition that holds, element by element; `default` where none does."""
  out = asarray(default)
  if out.ndim == 0 and len(choicelist) > 0:
    out = asarray(default, result_type(*[asarray(choice) for choice in choicelist]))
  for condition, choice in reversed(list(zip(condlist, choicelist))):
    out = select(asarray(condition), asarray(choice), out)
  return out

def outer(a, b):
  return reshape(asarray(a), (-1, 1)) * reshape(asarray(b), (1, -1))

class ndarray:
  """What arrays are, for `isinstance` and annotations."""

def _as_operand(x, dtype):
  x = asarray(x)
  return x if dtype is None else x.astype(dtype)

def matmul(a, b, *, preferred_element_type=None, precision=None, dtype=None):
  """The product of matrices; `preferred_element_type` is what it is computed and given in."""
  wide = preferred_element_type if dtype is None else dtype
  return _as_operand(a, wide) @ _as_operand(b, wide)

def dot(a, b, *, preferred_element_type=None, precision=None):
  a, b = _as_operand(a, preferred_element_type), _as_operand(b, preferred_element_type)
  return a * b if a.ndim == 0 or b.ndim == 0 else a @ b

def vdot(a, b):
  return ravel(asarray(a)) @ ravel(asarray(b))

inner = vdot

def var(x, axis=None, ddof=0, keepdims=False):
  """The mean square distance from the mean."""
  x = x if hasattr(x, "dtype") else asarray(x)
  away = x - mean(x, axis=axis, keepdims=True)
  total = sum(away * away, axis=axis, keepdims=keepdims)
  axes = static_range(ndim(x)) if axis is None else _as_axes(axis, ndim(x))
  count = 1
  for i in axes:
    count = count * shape(x)[i]
  return total / (count - ddof)

def std(x, axis=None, ddof=0, keepdims=False):
  return sqrt(var(x, axis=axis, ddof=ddof, keepdims=keepdims))

def average(x, axis=None, weights=None):
  x = asarray(x)
  if weights is None:
    return mean(x, axis=axis)
  weights = asarray(weights)
  if weights.ndim < x.ndim and axis is not None:
    weights = reshape(weights, tuple([n if i == axis % x.ndim else 1 for i, n in enumerate(x.shape)]))
  weights = broadcast_to(weights, x.shape)
  return sum(x * weights, axis=axis) / sum(weights, axis=axis)

def count_nonzero(x, axis=None):
  return sum(asarray(x) != 0, axis=axis)

def diff(x, n=1, axis=-1):
  x = asarray(x)
  for _ in static_range(n):
    lead = (slice(None),) * _as_axes(axis, ndim(x))[0]
    x = x[lead + (slice(1, None),)] - x[lead + (slice(None, -1),)]
  return x

def unique(x, return_index=False, return_inverse=False, return_counts=False, axis=None):
  """The different elements in order; where each first stands, which of them each element is, how often each comes."""
  if axis is not None:
    raise NotImplementedError("`unique` takes the elements one by one here, without `axis`")
  flat = ravel(asarray(x))
  order = argsort(flat)
  line = flat[order]
  if size(line) == 0:
    first = zeros((0,), i1)
  else:
    first = concatenate([ones((1,), i1), line[1:] != line[:-1]])
  out = line[first]
  if not (return_index or return_inverse or return_counts):
    return out
  starts = nonzero(first)[0]
  parts = [out]
  if return_index:
    parts.append(order[starts])
  if return_inverse:
    places = zeros((size(flat),), "int64").at[order].set(cumsum(first.astype("int32")) - 1)
    parts.append(reshape(places, shape(asarray(x))))
  if return_counts:
    parts.append(diff(concatenate([starts, asarray([size(flat)])])))
  return tuple(parts)

def searchsorted(a, v, side="left", sorter=None):
  """Where each of v would go into the sorted a."""
  a = asarray(a) if sorter is None else asarray(a)[sorter]
  row, column = reshape(a, (1, -1)), reshape(asarray(v), (-1, 1))
  below = row < column if side == "left" else row <= column
  return reshape(sum(below, axis=1), shape(asarray(v)))

def array_equal(a, b):
  a, b = asarray(a), asarray(b)
  return a.shape == b.shape and bool(all(a == b))

def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
  """Whether |a - b| <= atol + rtol * |b|, element by element."""
  a, b = asarray(a), asarray(b)
  same = (a == b) | (isfinite(a) & isfinite(b) & (abs(a - b) <= atol + rtol * abs(b)))
  return same | (isnan(a) & isnan(b)) if equal_nan else same

def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
  """Whether |a - b| <= atol + rtol * |b| everywhere."""
  return bool(all(isclose(a, b, rtol, atol, equal_nan)))

def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
  """x with numbers for what is none: `nan`, and the largest and the smallest where it is infinite."""
  x = asarray(x)
  if x.dtype.kind != "f":
    return x
  most = finfo(x.dtype)
  x = select(isnan(x), asarray(nan, x.dtype), x)
  x = select(x == inf, asarray(most.max if posinf is None else posinf, x.dtype), x)
  return select(x == -inf, asarray(most.min if neginf is None else neginf, x.dtype), x)

def around(x, decimals=0):
  scale = 10.0 ** decimals
  return rint(x) if decimals == 0 else rint(x * scale) / scale

round = around

def dtype(x):
  """A dtype by any of its spellings."""
  return zeros((), x).dtype

def result_type(*values):
  total = None
  for value in values:
    part = zeros((), value.dtype) if hasattr(value, "shape") else zeros((), value) if not isinstance(value, (int, float)) else value
    total = part if total is None else total + part
  return _dtype_of(total)

promote_types = result_type

floating = "floating"
integer = "integer"
inexact = "floating"
signedinteger = "signed"
unsignedinteger = "unsigned"
number = "number"

def issubdtype(dtype, kind):
  """Whether a dtype is of a kind, `floating`, `integer`, or another dtype."""
  code = zeros((), dtype).dtype.kind
  if kind == "floating":
    return code == "f"
  if kind == "integer":
    return code in "iu"
  if kind == "signed":
    return code == "i"
  if kind == "unsigned":
    return code == "u"
  if kind == "number":
    return code != "b"
  return zeros((), dtype).dtype == zeros((), kind).dtype

class _Limits:
  def __init__(self, **fields):
    for name, value in fields.items():
      setattr(self, name, value)

_FLOATS = {
  "float16": (16, 65504.0, 2.0 ** -10, 2.0 ** -14),
  "bfloat16": (16, 3.3895313892515355e38, 2.0 ** -7, 2.0 ** -126),
  "float32": (32, 3.4028234663852886e38, 2.0 ** -23, 2.0 ** -126),
  "float64": (64, 1.7976931348623157e308, 2.0 ** -52, 2.0 ** -1022),
  "float8_e4m3fn": (8, 448.0, 2.0 ** -3, 2.0 ** -6),
  "float8_e5m2": (8, 57344.0, 2.0 ** -2, 2.0 ** -14),
}

def finfo(dtype):
  """The limits of a dtype of floats."""
  name = zeros((), _dtype_of(dtype) if hasattr(dtype, "shape") else dtype).dtype.name
  if name not in _FLOATS:
    raise ValueError(f"{name} is no dtype of floats with known limits")
  bits, most, eps, tiny = _FLOATS[name]
  of = lambda x: asarray(x, name)
  mantissa = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52, "float8_e4m3fn": 3, "float8_e5m2": 2}[name]
  return _Limits(dtype=zeros((), name).dtype, bits=bits, max=of(most), min=of(-most), eps=of(eps), epsneg=of(eps / 2),
                 tiny=of(tiny), smallest_normal=of(tiny), nmant=mantissa, nexp=bits - 1 - mantissa)

def iinfo(dtype):
  """The limits of a dtype of integers."""
  kind = zeros((), _dtype_of(dtype) if hasattr(dtype, "shape") else dtype).dtype
  if kind.kind not in "iu":
    raise ValueError(f"{kind.name} is no dtype of integers")
  bits = kind.bits
  if kind.kind == "i":
    most = 2 ** (bits - 2) - 1 + 2 ** (bits - 2)
    return _Limits(bits=bits, max=most, min=-most - 1)
  if bits == 64:
    raise ValueError("the largest u64 is no int here, which has 64 bits with a sign")
  return _Limits(bits=bits, max=2 ** bits - 1, min=0)
