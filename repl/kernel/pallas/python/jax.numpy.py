# Functions of jax.numpy and numpy for kernels' bodies, written with operators and builtins. They take arrays of the
# host and of kernels alike.

pi = 3.141592653589793
e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None

def _axes_of(axis, rank):
  axes = axis if isinstance(axis, (tuple, list)) else (axis,)
  return [a + rank if a < 0 else a for a in axes]

def _is_float(x):
  return hasattr(x, "dtype") and x.dtype.kind == "f"

# --- reductions: the builtins, which have private names here, with NumPy's parameters

_sum, _mean, _max, _min, _any, _all, _prod = sum, mean, max, min, any, all, prod

def _part(x, dtype, out, where, neutral):
  """The array to reduce, with the neutral element where `where` is false."""
  assert out is None, "there is no `out=` here: write `name = …`"
  x = x if dtype is None else x.astype(dtype)
  return x if where is None else select(where, x, neutral)

def _axis(axis):
  return tuple(axis) if isinstance(axis, list) else axis

def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
  """The sum over `axis`, an int or a tuple; without it, over all axes."""
  total = _sum(_part(a, dtype, out, where, 0), axis=_axis(axis), keepdims=keepdims)
  return total if initial is None else total + initial

def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
  """The mean over `axis`, an int or a tuple; without it, over all axes."""
  x = _part(a, dtype, out, None, 0)
  if where is None:
    return _mean(x, axis=_axis(axis), keepdims=keepdims)
  return _sum(select(where, x, 0), axis=_axis(axis), keepdims=keepdims) / _sum(where, axis=_axis(axis), keepdims=keepdims)

def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
  """The largest element over `axis`, an int or a tuple; without it, over all axes."""
  assert where is None or initial is not None, "with `where`, `initial` says what the largest of nothing is"
  top = _max(_part(a, None, out, where, initial), axis=_axis(axis), keepdims=keepdims)
  return top if initial is None else maximum(top, initial)

def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
  """The smallest element over `axis`, an int or a tuple; without it, over all axes."""
  assert where is None or initial is not None, "with `where`, `initial` says what the smallest of nothing is"
  low = _min(_part(a, None, out, where, initial), axis=_axis(axis), keepdims=keepdims)
  return low if initial is None else minimum(low, initial)

amax, amin = max, min

def any(a, axis=None, out=None, keepdims=False, where=None):
  """True if some element over `axis` is true."""
  return _any(_part(a, None, out, where, False), axis=_axis(axis), keepdims=keepdims)

def all(a, axis=None, out=None, keepdims=False, where=None):
  """True if every element over `axis` is true."""
  return _all(_part(a, None, out, where, True), axis=_axis(axis), keepdims=keepdims)

def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
  """The product over `axis`, an int or a tuple; without it, over all axes."""
  total = _prod(_part(a, dtype, out, where, 1), axis=_axis(axis), keepdims=keepdims)
  return total if initial is None else total * initial

def count_nonzero(x, axis=None):
  return sum((x != 0).astype(i32), axis=axis)

def var(x, axis=None, ddof=0, keepdims=False):
  """The mean of the squared distances from the mean."""
  away = x - mean(x, axis=axis, keepdims=True)
  count = 1
  for i in static_range(x.ndim) if axis is None else _axes_of(axis, x.ndim):
    count = count * x.shape[i]
  return sum(away * away, axis=axis, keepdims=keepdims) / (count - ddof)

def std(x, axis=None, ddof=0, keepdims=False):
  return sqrt(var(x, axis=axis, ddof=ddof, keepdims=keepdims))

def average(x, axis=None, weights=None):
  return mean(x, axis=axis) if weights is None else sum(x * weights, axis=axis) / sum(weights, axis=axis)

def ptp(x, axis=None, keepdims=False):
  """The largest element minus the smallest one."""
  return max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)

def _numbers_of(x, neutral):
  return select(x != x, neutral, x) if _is_float(x) else x

def nansum(x, axis=None, keepdims=False):
  return sum(_numbers_of(x, 0), axis=axis, keepdims=keepdims)

def nanmax(x, axis=None, keepdims=False):
  return max(_numbers_of(x, -inf), axis=axis, keepdims=keepdims)

def nanmin(x, axis=None, keepdims=False):
  return min(_numbers_of(x, inf), axis=axis, keepdims=keepdims)

def nanmean(x, axis=None, keepdims=False):
  count = sum(select(x == x, 1.0, 0.0), axis=axis, keepdims=keepdims)
  return nansum(x, axis=axis, keepdims=keepdims) / count

def nanvar(x, axis=None, ddof=0, keepdims=False):
  away = x - nanmean(x, axis=axis, keepdims=True)
  count = sum(select(x == x, 1.0, 0.0), axis=axis, keepdims=keepdims)
  return nansum(away * away, axis=axis, keepdims=keepdims) / (count - ddof)

def nanstd(x, axis=None, ddof=0, keepdims=False):
  return sqrt(nanvar(x, axis=axis, ddof=ddof, keepdims=keepdims))

# --- functions of elements

def trunc(x):
  return select(x < 0, ceil(x), floor(x))

def rint(x):
  """The nearest integer; halves are rounded to the even one."""
  if not _is_float(x):
    return x
  wide = x.astype(f32)
  return select(abs(wide) < 4194304.0, (wide + 12582912.0) - 12582912.0, wide).astype(x.dtype)

def around(x, decimals=0):
  scale = 10.0 ** decimals
  return rint(x) if decimals == 0 else rint(x * scale) / scale

round = around

def log1p(x):
  u = 1.0 + x
  return select(u == 1.0, x, log(u) * x / select(u == 1.0, 1.0, u - 1.0))

def expm1(x):
  u = exp(x)
  small = abs(x) < 0.5
  exact = small & (u != 1.0)
  return select(exact, (u - 1.0) * x / log(select(exact, u, 2.0)), select(u == 1.0, x, u - 1.0))

def log10(x):
  return log(x) * 0.4342944819032518

def tan(x):
  return sin(x) / cos(x)

def sinh(x):
  return (exp(x) - exp(-x)) * 0.5

def cosh(x):
  return (exp(x) + exp(-x)) * 0.5

def arcsinh(x):
  return sign(x) * log(abs(x) + sqrt(x * x + 1))

def arccosh(x):
  return log(x + sqrt(x * x - 1))

def arctanh(x):
  return 0.5 * (log1p(x) - log1p(-x))

def arctan(x):
  return atan2(x, x * 0 + 1)

def arcsin(x):
  return atan2(x, sqrt((1 - x) * (1 + x)))

def arccos(x):
  return atan2(sqrt((1 - x) * (1 + x)), x)

def cbrt(x):
  return sign(x) * exp(log(maximum(abs(x), 1e-38)) / 3)

def sinc(x):
  turned = x * pi
  return select(x == 0, 1.0, sin(turned) / select(x == 0, 1.0, turned))

def isnan(x):
  return x != x

def isinf(x):
  return abs(x) == inf

def isfinite(x):
  return abs(x) < inf

def isposinf(x):
  return x == inf

def isneginf(x):
  return x == -inf

def isreal(x):
  return x == x

def signbit(x):
  return copysign(x * 0 + 1, x) < 0

def hypot(x, y):
  return sqrt(x * x + y * y)

def fmax(x, y):
  return select(x != x, y, select(y != y, x, maximum(x, y)))

def fmin(x, y):
  return select(x != x, y, select(y != y, x, minimum(x, y)))

def logaddexp(x, y):
  return maximum(x, y) + log1p(exp(-abs(x - y)))

def logaddexp2(x, y):
  return maximum(x, y) + log1p(exp2(-abs(x - y))) * 1.4426950408889634

def heaviside(x, y):
  return select(x < 0, 0.0, select(x == 0, y, 1.0))

def square(x):
  return x * x

def negative(x):
  return -x

def positive(x):
  return x

def reciprocal(x):
  return 1 / x

def conjugate(x):
  return x

def add(x, y):
  return x + y

def subtract(x, y):
  return x - y

def multiply(x, y):
  return x * y

def divide(x, y):
  return x / y

true_divide = divide

def floor_divide(x, y):
  return x // y

def remainder(x, y):
  return x % y

mod = remainder

def power(x, y):
  return x ** y

def ldexp(x, e):
  return x * exp2(e)

def rad2deg(x):
  return x * (180 / pi)

def deg2rad(x):
  return x * (pi / 180)

def equal(x, y):
  return x == y

def not_equal(x, y):
  return x != y

def less(x, y):
  return x < y

def less_equal(x, y):
  return x <= y

def greater(x, y):
  return x > y

def greater_equal(x, y):
  return x >= y

def isclose(a, b, rtol=1e-05, atol=1e-08):
  """True for each element where |a - b| <= atol + rtol * |b|."""
  return (a == b) | (isfinite(a) & isfinite(b) & (abs(a - b) <= atol + rtol * abs(b)))

def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
  """x with `nan` in place of NaN, and by default the largest and the smallest number in place of the infinities."""
  if not _is_float(x):
    return x
  most = 65504.0 if x.dtype == f16 else 3.3895313892515355e38 if x.dtype == bf16 else 3.4028234663852886e38
  x = select(x != x, nan, x)
  x = select(x == inf, most if posinf is None else posinf, x)
  return select(x == -inf, -most if neginf is None else neginf, x)

def clip(x, min=None, max=None, a_min=None, a_max=None):
  """Each element, limited to the range from `min` to `max`."""
  low, high = a_min if min is None else min, a_max if max is None else max
  out = x if low is None else maximum(x, low)
  return out if high is None else minimum(out, high)

# --- bits and truth

def bitwise_and(x, y):
  return x & y

def bitwise_or(x, y):
  return x | y

def bitwise_xor(x, y):
  return x ^ y

def invert(x):
  return ~x

bitwise_not = invert

def left_shift(x, y):
  return x << y

def right_shift(x, y):
  return x >> y

def _truth_of(x):
  return x if isinstance(x, bool) or (hasattr(x, "dtype") and x.dtype == i1) else x != 0

def logical_not(x):
  return ~_truth_of(x) if hasattr(x, "dtype") else not x

def logical_and(x, y):
  return _truth_of(x) & _truth_of(y)

def logical_or(x, y):
  return _truth_of(x) | _truth_of(y)

def logical_xor(x, y):
  return _truth_of(x) ^ _truth_of(y)

# --- shapes

def ndim(x):
  return x.ndim if hasattr(x, "ndim") else 0

def shape(x):
  return x.shape if hasattr(x, "shape") else ()

def size(x):
  return x.size if hasattr(x, "size") else 1

def asarray(x, dtype=None):
  """x as an array. A number of Python or of a kernel stays a number."""
  if isinstance(x, (list, tuple)):
    return array(x) if dtype is None else array(x, dtype)
  return x if dtype is None else x.astype(dtype) if hasattr(x, "astype") else zeros((), dtype).dtype(x)

def full_like(x, value, dtype=None):
  return full(x.shape, value, x.dtype if dtype is None else dtype)

def zeros_like(x, dtype=None):
  return full_like(x, 0, dtype)

def ones_like(x, dtype=None):
  return full_like(x, 1, dtype)

def ravel(x):
  return reshape(x, (-1,))

def expand_dims(x, axis):
  """x with new dimensions of size 1 at `axis`."""
  axes = _axes_of(axis, ndim(x) + (len(axis) if isinstance(axis, (tuple, list)) else 1))
  return x[tuple([None if i in axes else slice(None) for i in static_range(x.ndim + len(axes))])]

def squeeze(x, axis=None):
  """x without dimensions of size 1."""
  gone = [i for i, n in enumerate(x.shape) if n == 1] if axis is None else _axes_of(axis, x.ndim)
  for i in gone:
    assert x.shape[i] == 1, f"dimension {i} of size {x.shape[i]} cannot be squeezed out: its size is not 1"
  return reshape(x, tuple([n for i, n in enumerate(x.shape) if i not in gone]))

def _reordered(x, order):
  return x if list(order) == list(static_range(len(order))) else transpose(x, tuple(order))

def swapaxes(x, axis1, axis2):
  order = list(static_range(x.ndim))
  a, b = _axes_of((axis1, axis2), len(order))
  order[a], order[b] = order[b], order[a]
  return _reordered(x, order)

def moveaxis(x, source, destination):
  a, b = _axes_of(source, x.ndim), _axes_of(destination, x.ndim)
  order = [i for i in static_range(x.ndim) if i not in a]
  for where_to, where_from in sorted(list(zip(b, a))):
    order.insert(where_to, where_from)
  return _reordered(x, order)

def stack(arrays, axis=0):
  """The arrays stacked along a new axis."""
  return concatenate([expand_dims(a, axis) for a in arrays], axis)

def _parts_between(x, bounds, axis):
  lead = (slice(None),) * (axis if axis >= 0 else axis + x.ndim)
  return [x[lead + (slice(a, b),)] for a, b in zip(bounds[:-1], bounds[1:])]

def split(x, sections, axis=0):
  """Splits x along an axis into equal parts, or at the given places."""
  n = x.shape[axis]
  if not isinstance(sections, int):
    return _parts_between(x, [0] + list(sections) + [n], axis)
  assert n % sections == 0, f"{n} rows do not split into {sections} equal parts"
  return _parts_between(x, [i * (n // sections) for i in static_range(sections + 1)], axis)
