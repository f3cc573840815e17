# What numpy and jax.numpy have in common, put together of natives and builtins. Read once for each of the two: names
# such as `zeros` and `concatenate` are the module's own natives, so that dtypes are its own. Most of it serves traced
# arrays of kernels too, for it is made of operators.

pi = 3.141592653589793
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None

# --- functions of elements: natives on the host, the kernel language's functions of traced arrays

def logistic(x):
  return builtin_logistic(x) if traced(x) else _logistic(x)

def traced(x):
  """Whether x is an array of a kernel."""
  return hasattr(x, "dtype") and not hasattr(x, "nbytes")

def floor(x):
  return builtin_floor(x) if traced(x) else _floor(x)

def ceil(x):
  return builtin_ceil(x) if traced(x) else _ceil(x)

def trunc(x):
  return select(x < 0, builtin_ceil(x), builtin_floor(x)) if traced(x) else _trunc(x)

def rint(x):
  """The nearest integer, half to even."""
  if not traced(x):
    return _rint(x)
  if x.dtype.kind != "f":
    return x
  wide = x.astype(f32)
  return select(abs(wide) < 4194304.0, (wide + 12582912.0) - 12582912.0, wide).astype(x.dtype)

def sign(x):
  if traced(x):
    return builtin_sign(x)
  x = asarray(x)
  return select(x > 0, 1, select(x < 0, -1, x)).astype(x.dtype)

def prod(x, axis=None, keepdims=False):
  """The product over `axis`."""
  if traced(x):
    return builtin_prod(x, axis=axis, keepdims=keepdims)
  x = asarray(x)
  axes = as_axes(tuple(static_range(x.ndim)) if axis is None else axis, x.ndim)
  total = x
  for i in sorted(axes, reverse=True):
    if x.shape[i] > 0:
      total = take(cumprod(total, i), [-1], i)
    else:
      total = ones(tuple([1 if k == i else n for k, n in enumerate(total.shape)]), total.dtype)
  return total if keepdims else squeeze(total, tuple(axes))

def log1p(x):
  if not traced(x):
    return _log1p(x)
  u = 1.0 + x
  return select(u == 1.0, x, log(u) * x / select(u == 1.0, 1.0, u - 1.0))

def expm1(x):
  if not traced(x):
    return _expm1(x)
  u = exp(x)
  small = abs(x) < 0.5
  exact = small & (u != 1.0)
  return select(exact, (u - 1.0) * x / log(select(exact, u, 2.0)), select(u == 1.0, x, u - 1.0))

def log10(x):
  return log(x) * 0.4342944819032518 if traced(x) else _log10(x)

def tan(x):
  return sin(x) / cos(x) if traced(x) else _tan(x)

def sinh(x):
  return (exp(x) - exp(-x)) * 0.5 if traced(x) else _sinh(x)

def cosh(x):
  return (exp(x) + exp(-x)) * 0.5 if traced(x) else _cosh(x)

def isnan(x):
  return x != x if traced(x) else _isnan(x)

def isinf(x):
  return abs(x) == inf if traced(x) else _isinf(x)

def isfinite(x):
  return abs(x) < inf if traced(x) else _isfinite(x)

def arctan2(y, x):
  return builtin_atan2(y, x) if traced(x) or traced(y) else _arctan2(y, x)

def hypot(x, y):
  return sqrt(x * x + y * y) if traced(x) or traced(y) else _hypot(x, y)

def copysign(x, y):
  return builtin_copysign(x, y) if traced(x) or traced(y) else _copysign(x, y)

def fmod(x, y):
  return builtin_fmod(x, y) if traced(x) or traced(y) else _fmod(x, y)

def fmax(x, y):
  return maximum(x, y) if traced(x) or traced(y) else _fmax(x, y)

def fmin(x, y):
  return minimum(x, y) if traced(x) or traced(y) else _fmin(x, y)

def logaddexp(x, y):
  if not traced(x) and not traced(y):
    return _logaddexp(x, y)
  return maximum(x, y) + log1p(exp(-abs(x - y)))

def where(condition, x=None, y=None):
  """x where the condition holds, y elsewhere; with the condition alone, where it holds."""
  return nonzero(condition) if x is None else select(condition, x, y)

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
  return x == 0 if ndim(x) > 0 or not is_truth(x) else ~x

def is_truth(x):
  return dtype_of(x) == i1

def dtype_of(x):
  return x.dtype if hasattr(x, "dtype") else asarray(x).dtype

def truth_of(x):
  return x if dtype_of(x) == i1 else x != 0

def logical_and(x, y):
  return truth_of(x) & truth_of(y)

def logical_or(x, y):
  return truth_of(x) | truth_of(y)

def logical_xor(x, y):
  return truth_of(x) ^ truth_of(y)

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

def ravel(x):
  return reshape(x, (-1,))

def identity(n, dtype=None):
  return eye(n, dtype=dtype)

def as_axes(axis, rank):
  axes = axis if isinstance(axis, (tuple, list)) else (axis,)
  return [a + rank if a < 0 else a for a in axes]

def expand_dims(x, axis):
  """x with dimensions of size 1 at `axis`."""
  axes = as_axes(axis, ndim(x) + (len(axis) if isinstance(axis, (tuple, list)) else 1))
  x = x if hasattr(x, "dtype") else asarray(x)
  return x[tuple([None if i in axes else slice(None) for i in static_range(x.ndim + len(axes))])]

def squeeze(x, axis=None):
  """x without dimensions of size 1."""
  sizes = shape(x)
  gone = [i for i, n in enumerate(sizes) if n == 1] if axis is None else as_axes(axis, len(sizes))
  for i in gone:
    if sizes[i] != 1:
      raise ValueError(f"dimension {i} of size {sizes[i]} cannot be squeezed out: its size is not 1")
  return reshape(x, tuple([n for i, n in enumerate(sizes) if i not in gone]))

def swapaxes(x, axis1, axis2):
  order = list(static_range(ndim(x)))
  a, b = as_axes((axis1, axis2), len(order))
  order[a], order[b] = order[b], order[a]
  return transpose(x, tuple(order))

def moveaxis(x, source, destination):
  a, b = as_axes(source, ndim(x)), as_axes(destination, ndim(x))
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
  return parts_between(x, bounds, axis)

def parts_between(x, bounds, axis):
  lead = (slice(None),) * (axis if axis >= 0 else axis + ndim(x))
  return [x[lead + (slice(a, b),)] for a, b in zip(bounds[:-1], bounds[1:])]

def split(x, sections, axis=0):
  """Equal parts along an axis, or those between the given places."""
  n = shape(x)[axis]
  if isinstance(sections, int):
    if n % sections != 0:
      raise ValueError(f"{n} rows do not split into {sections} equal parts")
    return array_split(x, sections, axis)
  return parts_between(x, [0] + list(sections) + [n], axis)

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
  axes = list(static_range(ndim(x))) if axis is None else as_axes(axis, ndim(x))
  return x[tuple([slice(None, None, -1) if i in axes else slice(None) for i in static_range(ndim(x))])]

def roll(x, shift, axis=None):
  if axis is None:
    return reshape(roll(ravel(x), shift, 0), shape(x))
  n = shape(x)[axis]
  return take(x, (arange(n) - shift) % n, axis)

def take(x, indices, axis=None):
  """The elements at `indices` along an axis."""
  if axis is None:
    return ravel(x)[asarray(indices)]
  lead = (slice(None),) * as_axes(axis, ndim(x))[0]
  return x[lead + (asarray(indices),)]

def take_along_axis(x, indices, axis):
  axis = as_axes(axis, ndim(x))[0]
  index = []
  for i, n in enumerate(shape(indices)):
    if i == axis:
      index.append(indices)
    else:
      index.append(reshape(arange(n), (1,) * i + (n,) + (1,) * (ndim(indices) - i - 1)))
  return x[tuple(index)]

def pad(x, pad_width, mode="constant", constant_values=0):
  """x with `pad_width` more elements before and behind each dimension, or ((before, behind), …)."""
  if mode != "constant":
    raise NotImplementedError("pad fills with a constant here")
  x = asarray(x)
  if isinstance(pad_width, int):
    widths = [(pad_width, pad_width)] * x.ndim
  elif isinstance(pad_width[0], int):
    widths = [tuple(pad_width)] * x.ndim
  else:
    widths = [tuple(w) for w in pad_width]
    widths = widths * x.ndim if len(widths) == 1 else widths
  out = full(tuple([n + a + b for n, (a, b) in zip(x.shape, widths)]), constant_values, x.dtype)
  inside = tuple([slice(a, a + n) for n, (a, b) in zip(x.shape, widths)])
  return out.at[inside].set(x)

def tril(x, k=0):
  """x with zeros above diagonal k."""
  rows, columns = shape(x)[-2:]
  keep = reshape(arange(rows), (rows, 1)) >= reshape(arange(columns), (1, columns)) - k
  return select(keep, x, zeros((), dtype_of(x)))

def triu(x, k=0):
  """x with zeros below diagonal k."""
  rows, columns = shape(x)[-2:]
  keep = reshape(arange(rows), (rows, 1)) <= reshape(arange(columns), (1, columns)) - k
  return select(keep, x, zeros((), dtype_of(x)))

def tri(rows, columns=None, k=0, dtype=None):
  return tril(ones((rows, rows if columns is None else columns), dtype), k)

def diag(x, k=0):
  """The diagonal of a matrix, or a matrix of a diagonal."""
  if ndim(x) == 2:
    rows, columns = shape(x)
    n = min(rows + min(k, 0), columns - max(k, 0))
    return x[arange(n) + max(-k, 0), arange(n) + max(k, 0)]
  n = size(x) + abs(k)
  out = zeros((n, n), dtype_of(x))
  places = arange(size(x))
  return out.at[places + max(-k, 0), places + max(k, 0)].set(x)

diagonal = diag

def trace(x):
  return sum(diag(x))

def outer(a, b):
  return reshape(a, (-1, 1)) * reshape(b, (1, -1))

class ndarray:
  """What arrays are, for `isinstance` and annotations."""

def as_operand(x, dtype):
  x = asarray(x)
  return x if dtype is None else x.astype(dtype)

def matmul(a, b, *, preferred_element_type=None, precision=None, dtype=None):
  """The product of matrices; `preferred_element_type` is what it is computed and given in."""
  wide = preferred_element_type if dtype is None else dtype
  return as_operand(a, wide) @ as_operand(b, wide)

def dot(a, b, *, preferred_element_type=None, precision=None):
  a, b = as_operand(a, preferred_element_type), as_operand(b, preferred_element_type)
  return a * b if a.ndim == 0 or b.ndim == 0 else a @ b

def vdot(a, b):
  return ravel(asarray(a)) @ ravel(asarray(b))

inner = vdot

def tensordot(a, b, axes=2):
  """The product over the last `axes` dimensions of a and the first of b, or over the named ones."""
  if isinstance(axes, int):
    over_a, over_b = list(static_range(ndim(a) - axes, ndim(a))), list(static_range(axes))
  else:
    over_a, over_b = as_axes(axes[0], ndim(a)), as_axes(axes[1], ndim(b))
  kept_a = [i for i in static_range(ndim(a)) if i not in over_a]
  kept_b = [i for i in static_range(ndim(b)) if i not in over_b]
  count = 1
  for i in over_a:
    count = count * shape(a)[i]
  left = reshape(transpose(a, tuple(kept_a + over_a)), (-1, count))
  right = reshape(transpose(b, tuple(over_b + kept_b)), (count, -1))
  return reshape(left @ right, tuple([shape(a)[i] for i in kept_a] + [shape(b)[i] for i in kept_b]))

def var(x, axis=None, ddof=0, keepdims=False):
  """The mean square distance from the mean."""
  x = x if hasattr(x, "dtype") else asarray(x)
  away = x - mean(x, axis=axis, keepdims=True)
  total = sum(away * away, axis=axis, keepdims=keepdims)
  axes = static_range(ndim(x)) if axis is None else as_axes(axis, ndim(x))
  count = 1
  for i in axes:
    count = count * shape(x)[i]
  return total / (count - ddof)

def std(x, axis=None, ddof=0, keepdims=False):
  return sqrt(var(x, axis=axis, ddof=ddof, keepdims=keepdims))

def average(x, axis=None, weights=None):
  return mean(x, axis=axis) if weights is None else sum(x * weights, axis=axis) / sum(weights, axis=axis)

def median(x, axis=None):
  x = ravel(x) if axis is None else moveaxis(x, axis, -1)
  x, n = sort(x), shape(x)[-1]
  return (x[..., (n - 1) // 2] + x[..., n // 2]) / 2

def ptp(x, axis=None):
  return max(x, axis=axis) - min(x, axis=axis)

def count_nonzero(x, axis=None):
  return sum(asarray(x) != 0, axis=axis)

def diff(x, n=1, axis=-1):
  for _ in static_range(n):
    lead = (slice(None),) * as_axes(axis, ndim(x))[0]
    x = x[lead + (slice(1, None),)] - x[lead + (slice(None, -1),)]
  return x

def unique(x):
  x = sort(ravel(asarray(x)))
  return x if size(x) == 0 else x[concatenate([ones((1,), i1), x[1:] != x[:-1]])]

def searchsorted(a, v, side="left"):
  """Where each of v would go into the sorted a."""
  row, column = reshape(a, (1, -1)), reshape(asarray(v), (-1, 1))
  below = row < column if side == "left" else row <= column
  return reshape(sum(below, axis=1), shape(asarray(v)))

def bincount(x, minlength=0):
  n = max(minlength, int(max(x)) + 1 if size(x) > 0 else 0)
  return sum(reshape(x, (1, -1)) == reshape(arange(n), (-1, 1)), axis=1)

def meshgrid(*lines, indexing="xy"):
  lines = [asarray(x) for x in lines]
  rank = len(lines)
  order = list(static_range(rank))
  if indexing == "xy" and rank > 1:
    order[0], order[1] = 1, 0
  sizes = [0] * rank
  for i, line in enumerate(lines):
    sizes[order[i]] = line.size
  return [broadcast_to(reshape(line, (1,) * order[i] + (-1,) + (1,) * (rank - order[i] - 1)), tuple(sizes))
          for i, line in enumerate(lines)]

def indices(dimensions, dtype=None):
  return stack(meshgrid(*[arange(n, dtype=dtype) for n in dimensions], indexing="ij"))

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

def nan_to_num(x, nan=0.0):
  return select(isnan(x), nan, x)

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
    part = value if hasattr(value, "shape") else zeros((), value) if not isinstance(value, (int, float)) else value
    total = part if total is None else total + part
  return dtype_of(total)

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
  "f16": (16, 65504.0, 2.0 ** -10, 2.0 ** -14),
  "bf16": (16, 3.3895313892515355e38, 2.0 ** -7, 2.0 ** -126),
  "f32": (32, 3.4028234663852886e38, 2.0 ** -23, 2.0 ** -126),
  "f64": (64, 1.7976931348623157e308, 2.0 ** -52, 2.0 ** -1022),
  "f8e4m3fn": (8, 448.0, 2.0 ** -3, 2.0 ** -6),
  "f8e5m2": (8, 57344.0, 2.0 ** -2, 2.0 ** -14),
}

def finfo(dtype):
  """The limits of a dtype of floats."""
  name = zeros((), dtype_of(dtype) if hasattr(dtype, "shape") else dtype).dtype.name
  if name not in _FLOATS:
    raise ValueError(f"{name} is no dtype of floats with known limits")
  bits, most, eps, tiny = _FLOATS[name]
  return _Limits(bits=bits, max=most, min=-most, eps=eps, tiny=tiny, smallest_normal=tiny)

def iinfo(dtype):
  """The limits of a dtype of integers."""
  kind = zeros((), dtype_of(dtype) if hasattr(dtype, "shape") else dtype).dtype
  if kind.kind not in "iu":
    raise ValueError(f"{kind.name} is no dtype of integers")
  bits = kind.bits
  if kind.kind == "i":
    most = 2 ** (bits - 2) - 1 + 2 ** (bits - 2)
    return _Limits(bits=bits, max=most, min=-most - 1)
  if bits == 64:
    raise ValueError("the largest u64 is no int here, which has 64 bits with a sign")
  return _Limits(bits=bits, max=2 ** bits - 1, min=0)
