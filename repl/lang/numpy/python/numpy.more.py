# Functions that fewer programs use; read when one of them is first asked for.

concat = concatenate

def astype_of(x, dtype):
  return x if dtype is None else x.astype(dtype)

def atleast_1d(x):
  return reshape(asarray(x), (1,)) if ndim(x) == 0 else asarray(x)

def atleast_2d(x):
  return asarray(x) if ndim(x) > 1 else reshape(asarray(x), (1, -1))

def atleast_3d(x):
  x = asarray(x)
  return x if x.ndim > 2 else x[:, :, None] if x.ndim == 2 else reshape(x, (1, -1, 1))

def matrix_transpose(x):
  return swapaxes(x, -1, -2)

def fliplr(x):
  return flip(x, 1)

def flipud(x):
  return flip(x, 0)

def append(x, values, axis=None):
  return concatenate([ravel(asarray(x)), ravel(asarray(values))]) if axis is None else concatenate([x, values], axis)

def column_stack(arrays):
  return concatenate([asarray(a) if ndim(a) > 1 else reshape(asarray(a), (-1, 1)) for a in arrays], 1)

def kron(a, b):
  """Blocks of b, each times an element of a."""
  a, b = asarray(a), asarray(b)
  if a.ndim < 2 and b.ndim < 2:
    return ravel(reshape(a, (-1, 1)) * reshape(b, (1, -1)))
  a, b = atleast_2d(a), atleast_2d(b)
  rows, columns = a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]
  return reshape(a[:, None, :, None] * b[None, :, None, :], (rows, columns))

def flatnonzero(x):
  return nonzero(ravel(asarray(x)))[0]

def argwhere(x):
  """The places of elements that are not zero, a row each."""
  return stack(list(nonzero(x)), axis=-1)

def isin(x, values):
  """Whether each element is among the values."""
  x = asarray(x)
  return any(x[..., None] == ravel(asarray(values)), axis=-1)

def divmod(x, y):
  x, y = asarray(x), asarray(y)
  return x // y, x % y

def convolve(a, v, mode="full"):
  """The sums of products of a with v, turned round and moved along it."""
  a, v = asarray(a), asarray(v)
  if mode not in ("full", "same", "valid"):
    raise ValueError(f"the modes are \"full\", \"same\" and \"valid\", not {mode!r}")
  if a.size < v.size:
    a, v = v, a
  wide = pad(a, v.size - 1)
  rows = wide[reshape(arange(a.size + v.size - 1), (-1, 1)) + reshape(arange(v.size), (1, -1))]
  out = rows @ flip(v)
  if mode == "full":
    return out
  start = v.size - 1 if mode == "valid" else (v.size - 1) // 2
  return out[start:start + (a.size - v.size + 1 if mode == "valid" else a.size)]

def correlate(a, v, mode="valid"):
  return convolve(a, flip(asarray(v)), mode)

def histogram(x, bins=10, range=None, density=None, weights=None):
  """How many elements lie in each of equal bins, or between the given edges; and the edges."""
  x = ravel(asarray(x))
  if isinstance(bins, int):
    low, high = (float(min(x)), float(max(x))) if range is None else range
    edges = linspace(low, high, bins + 1)
  else:
    edges = asarray(bins)
  inside = (x[:, None] >= edges[:-1]) & (x[:, None] < edges[1:])
  last = (x[:, None] == edges[-1]) & (arange(edges.size - 1) == edges.size - 2)
  hits = inside | last
  if weights is not None:
    counts = sum(select(hits, reshape(ravel(asarray(weights)), (-1, 1)), 0), axis=0)
  else:
    counts = sum(hits, axis=0)
  if density:
    counts = counts / (sum(counts) * (edges[1:] - edges[:-1]))
  return _as_counts(counts), edges

def _as_counts(counts):
  """JAX counts in floats."""
  return counts.astype(f32) if zeros((), "float64").dtype.name == "float32" else counts

def digitize(x, bins, right=False):
  return searchsorted(asarray(bins), x, side="left" if right else "right")

def interp(x, xp, fp):
  """Straight lines between the points (xp, fp)."""
  x, xp, fp = asarray(x), asarray(xp), asarray(fp)
  i = clip(searchsorted(xp, x, side="right"), 1, xp.size - 1)
  t = (x - xp[i - 1]) / (xp[i] - xp[i - 1])
  return select(x <= xp[0], fp[0], select(x >= xp[-1], fp[-1], fp[i - 1] + t * (fp[i] - fp[i - 1])))

def quantile(x, q, axis=None, keepdims=False):
  """What a part q of the elements lies below, between two of them in proportion."""
  x = ravel(asarray(x)) if axis is None else moveaxis(asarray(x), axis, -1)
  x, place = sort(x), asarray(q) * (x.shape[-1] - 1)
  low = floor(place)
  first = low.astype("int32")
  following = minimum(first + 1, x.shape[-1] - 1)
  out = x[..., first] + (x[..., following] - x[..., first]) * (place - low)
  return expand_dims(out, axis) if keepdims and axis is not None else out

def percentile(x, q, axis=None, keepdims=False):
  return quantile(x, asarray(q) / 100, axis, keepdims)

def _numbers_of(x):
  x = asarray(x)
  return x, isnan(x)

def nansum(x, axis=None, keepdims=False):
  x, gone = _numbers_of(x)
  return sum(select(gone, 0, x), axis=axis, keepdims=keepdims)

def nanprod(x, axis=None, keepdims=False):
  x, gone = _numbers_of(x)
  return prod(select(gone, 1, x), axis=axis, keepdims=keepdims)

def nanmax(x, axis=None, keepdims=False):
  x, gone = _numbers_of(x)
  return max(select(gone, -inf, x), axis=axis, keepdims=keepdims)

def nanmin(x, axis=None, keepdims=False):
  x, gone = _numbers_of(x)
  return min(select(gone, inf, x), axis=axis, keepdims=keepdims)

def nanargmax(x, axis=None):
  x, gone = _numbers_of(x)
  return argmax(select(gone, -inf, x), axis=axis)

def nanargmin(x, axis=None):
  x, gone = _numbers_of(x)
  return argmin(select(gone, inf, x), axis=axis)

def nancumsum(x, axis=None):
  x, gone = _numbers_of(x)
  return cumsum(select(gone, 0, x), axis=axis)

def nanmean(x, axis=None, keepdims=False):
  x, gone = _numbers_of(x)
  return nansum(x, axis, keepdims) / sum(~gone, axis=axis, keepdims=keepdims)

def nanvar(x, axis=None, ddof=0, keepdims=False):
  x, gone = _numbers_of(x)
  away = select(gone, 0, x - nanmean(x, axis, True))
  return sum(away * away, axis=axis, keepdims=keepdims) / (sum(~gone, axis=axis, keepdims=keepdims) - ddof)

def nanstd(x, axis=None, ddof=0, keepdims=False):
  return sqrt(nanvar(x, axis, ddof, keepdims))

def nanmedian(x):
  x = ravel(asarray(x))
  return median(x[~isnan(x)])

def logspace(start, stop, num=50, base=10.0):
  return base ** linspace(start, stop, num)

def unravel_index(indices, shape):
  """The coordinates of row-major places."""
  rest, out = asarray(indices), []
  for n in reversed(shape):
    out = [rest % n] + out
    rest = rest // n
  return tuple(out)

def ravel_multi_index(coordinates, shape):
  """The row-major places of coordinates."""
  total = 0
  for place, n in zip(coordinates, shape):
    total = total * n + place
  return total

def ndindex(*shape):
  """The coordinates of an array of that shape, in row-major order."""
  sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
  rows = [()]
  for n in sizes:
    rows = [row + (i,) for row in rows for i in static_range(n)]
  return rows

def tril_indices(n, k=0, m=None):
  return nonzero(tri(n, m, k))

def triu_indices(n, k=0, m=None):
  return nonzero(1 - tri(n, m, k - 1))

def apply_along_axis(function, axis, x):
  """A function of each line along an axis."""
  x = moveaxis(asarray(x), axis, -1)
  rows = reshape(x, (-1, x.shape[-1]))
  out = stack([asarray(function(rows[i])) for i in static_range(rows.shape[0])])
  out = reshape(out, x.shape[:-1] + out.shape[1:])
  return out if out.ndim < x.ndim else moveaxis(out, -1, axis)

def put_along_axis(arr, indices, values, axis):
  """values at `indices` along an axis, in place."""
  arr[_along(arr, indices, axis)] = values

def _along(x, indices, axis):
  axis = axis % x.ndim
  return tuple([indices if i == axis else reshape(arange(n), (1,) * i + (n,) + (1,) * (ndim(indices) - i - 1))
                for i, n in enumerate(shape(indices))])

class _Quiet:
  def __enter__(self):
    return None
  def __exit__(self, kind, value, traceback):
    return None

def errstate(**kinds):
  """`with np.errstate(…):` changes nothing: arithmetic says nothing of infinities here."""
  return _Quiet()

class printoptions:
  """`with np.printoptions(precision=3, suppress=True):` arrays are printed so."""
  def __init__(self, **options):
    self._options = options
  def __enter__(self):
    self._before = _print_options()
    _print_options(**self._options)
  def __exit__(self, kind, value, traceback):
    _print_options(**self._before)

def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, **others):
  """How arrays are printed from here on: with how many decimals, with or without exponents, …"""
  _print_options(precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth, suppress=suppress)

def get_printoptions():
  return _print_options()

def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", threshold=None,
                 formatter=None):
  """The text of an array, as `print` writes it."""
  with printoptions(precision=precision, suppress=suppress_small, threshold=threshold, linewidth=max_line_width):
    return str(asarray(a))

def array_str(a, max_line_width=None, precision=None, suppress_small=None):
  return array2string(a, max_line_width, precision, suppress_small)

def array_repr(a, max_line_width=None, precision=None, suppress_small=None):
  with printoptions(precision=precision, suppress=suppress_small, linewidth=max_line_width):
    return repr(asarray(a))

def pad(x, pad_width, mode="constant", constant_values=0):
  """x with `pad_width` more elements before and behind each dimension, or ((before, behind), …): of a constant, or by
  `mode` the nearest ("edge"), those mirrored ("reflect", "symmetric") or those of the other end ("wrap")."""
  x = asarray(x)
  if isinstance(pad_width, int):
    widths = [(pad_width, pad_width)] * x.ndim
  elif isinstance(pad_width[0], int):
    widths = [tuple(pad_width)] * x.ndim
  else:
    widths = [tuple(w) for w in pad_width]
    widths = widths * x.ndim if len(widths) == 1 else widths
  if mode == "constant":
    out = full(tuple([n + a + b for n, (a, b) in zip(x.shape, widths)]), constant_values, x.dtype)
    return out.at[tuple([slice(a, a + n) for n, (a, b) in zip(x.shape, widths)])].set(x)
  for axis, (before, behind) in enumerate(widths):
    places, n = arange(-before, x.shape[axis] + behind), x.shape[axis]
    if mode == "edge":
      places = clip(places, 0, n - 1)
    elif mode == "wrap":
      places = places % n
    elif mode == "symmetric":
      places = minimum(places % (2 * n), 2 * n - 1 - places % (2 * n))
    elif mode == "reflect":
      turn = max(1, 2 * (n - 1))
      places = minimum(places % turn, turn - places % turn)
    else:
      raise NotImplementedError(f"pad fills by mode \"constant\", \"edge\", \"reflect\", \"symmetric\" or \"wrap\" here, not {mode!r}")
    x = take(x, places, axis)
  return x

def meshgrid(*lines, indexing="xy", sparse=False, copy=True):
  lines = [asarray(x) for x in lines]
  rank = len(lines)
  order = list(static_range(rank))
  if indexing == "xy" and rank > 1:
    order[0], order[1] = 1, 0
  sizes = [0] * rank
  for i, line in enumerate(lines):
    sizes[order[i]] = line.size
  out = [broadcast_to(reshape(line, (1,) * order[i] + (-1,) + (1,) * (rank - order[i] - 1)), tuple(sizes))
         for i, line in enumerate(lines)]
  return tuple(out) if zeros((), "float64").dtype.name == "float64" else out

def indices(dimensions, dtype=None):
  return stack(list(meshgrid(*[arange(n, dtype=dtype) for n in dimensions], indexing="ij")))

def bincount(x, weights=None, minlength=0, *, length=None):
  """How often each int occurs, or the sum of its weights; `length` ints (of JAX) or as many as there are."""
  x = ravel(asarray(x))
  n = max(minlength, int(max(x)) + 1 if size(x) > 0 else 0) if length is None else length
  hits = reshape(x, (1, -1)) == reshape(arange(n), (-1, 1))
  return sum(hits, axis=1) if weights is None else sum(select(hits, reshape(asarray(weights), (1, -1)), 0), axis=1)

def tensordot(a, b, axes=2):
  """The product over the last `axes` dimensions of a and the first of b, or over the named ones."""
  if isinstance(axes, int):
    over_a, over_b = list(static_range(ndim(a) - axes, ndim(a))), list(static_range(axes))
  else:
    over_a, over_b = _as_axes(axes[0], ndim(a)), _as_axes(axes[1], ndim(b))
  kept_a = [i for i in static_range(ndim(a)) if i not in over_a]
  kept_b = [i for i in static_range(ndim(b)) if i not in over_b]
  count = 1
  for i in over_a:
    count = count * shape(a)[i]
  left = reshape(transpose(a, tuple(kept_a + over_a)), (-1, count))
  right = reshape(transpose(b, tuple(over_b + kept_b)), (count, -1))
  return reshape(left @ right, tuple([shape(a)[i] for i in kept_a] + [shape(b)[i] for i in kept_b]))

def median(x, axis=None, keepdims=False):
  line = ravel(asarray(x)) if axis is None else moveaxis(asarray(x), axis, -1)
  line, n = sort(line), shape(line)[-1]
  out = (line[..., (n - 1) // 2] + line[..., n // 2]) / 2
  return expand_dims(out, axis) if keepdims and axis is not None else out

def ptp(x, axis=None, keepdims=False):
  x = asarray(x)
  return max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)

def copyto(dst, src, casting="same_kind", where=True):
  """The elements of src into dst, in place."""
  dst[...] = src if where is True else select(where, src, dst)

def fill_diagonal(a, val):
  """val, a number, along the diagonal, in place."""
  for i in static_range(min(shape(a))):
    a[(i,) * ndim(a)] = val

def choose(a, choices):
  """choices[a[i]][i] for each i."""
  a, out = asarray(a), asarray(choices[0])
  for i, choice in enumerate(choices):
    out = out if i == 0 else select(a == i, asarray(choice), out)
  return broadcast_to(out, a.shape) if out.ndim < a.ndim else out

def extract(condition, arr):
  return ravel(asarray(arr))[ravel(asarray(condition)) != 0]

def compress(condition, a, axis=None):
  a = ravel(asarray(a)) if axis is None else asarray(a)
  return take(a, nonzero(asarray(condition))[0], 0 if axis is None else axis)

def delete(arr, obj, axis=None):
  """arr without what stands at `obj`."""
  arr = ravel(asarray(arr)) if axis is None else asarray(arr)
  axis = 0 if axis is None else axis
  n = arr.shape[axis]
  if isinstance(obj, slice):
    gone = arange(n)[obj].tolist()
  else:
    places = asarray(obj)
    gone = nonzero(places)[0].tolist() if places.dtype == i1 else [int(i) % n for i in ravel(places)]
  return take(arr, asarray([i for i in static_range(n) if i not in gone], "int32"), axis)

def insert(arr, obj, values, axis=None):
  """arr with `values` before the place `obj`."""
  arr = ravel(asarray(arr)) if axis is None else asarray(arr)
  axis = 0 if axis is None else axis % arr.ndim
  if not isinstance(obj, int):
    raise NotImplementedError("`insert` takes one place here")
  values = asarray(values, arr.dtype)
  if arr.ndim == 1:
    more = ravel(values)
  else:
    sizes = tuple([1 if i == axis else n for i, n in enumerate(arr.shape)])
    more = broadcast_to(expand_dims(values, axis) if values.ndim == arr.ndim - 1 else values, sizes)
  lead = (slice(None),) * axis
  return concatenate([arr[lead + (slice(None, obj),)], more, arr[lead + (slice(obj, None),)]], axis)

def block(arrays):
  """Blocks, lists of which stand beside each other, and lists of these below each other."""
  def depth(x):
    return 1 + depth(x[0]) if isinstance(x, list) else 0
  def joined(x, axis):
    return concatenate([joined(part, axis + 1) for part in x], axis) if isinstance(x, list) else wide(asarray(x))
  rank = depth(arrays)
  def wide(x):
    return reshape(x, (1,) * (rank - x.ndim) + x.shape) if x.ndim < rank else x
  return joined(arrays, -rank)

def dstack(arrays):
  return concatenate([atleast_3d(a) for a in arrays], 2)

def hsplit(x, sections):
  return split(x, sections, 0 if ndim(x) == 1 else 1)

def vsplit(x, sections):
  return split(x, sections, 0)

def dsplit(x, sections):
  return split(x, sections, 2)

def unstack(x, axis=0):
  x = moveaxis(asarray(x), axis, 0)
  return tuple([x[i] for i in static_range(x.shape[0])])

def broadcast_arrays(*arrays):
  """The arrays over their common shape."""
  arrays = [asarray(a) for a in arrays]
  sizes = broadcast_shapes(*[a.shape for a in arrays])
  return tuple([broadcast_to(a, sizes) for a in arrays])

def rollaxis(a, axis, start=0):
  axis = axis % ndim(a)
  return moveaxis(a, axis, start - 1 if start > axis else start)

def rot90(m, k=1, axes=(0, 1)):
  """Turned by a quarter, k times."""
  m, k = asarray(m), k % 4
  for _ in static_range(k):
    m = flip(swapaxes(m, axes[0], axes[1]), axes[0])
  return m

def resize(a, new_shape):
  """The elements, over and over, under another shape."""
  flat = ravel(asarray(a))
  count = 1
  for n in new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,):
    count = count * n
  return reshape(flat[arange(count) % flat.size], new_shape)

def partition(a, kth, axis=-1):
  """Sorted, which has element `kth` in its place too."""
  return sort(asarray(a), axis)

def argpartition(a, kth, axis=-1):
  """Where the elements stand, in order."""
  return argsort(asarray(a), axis)

def lexsort(keys, axis=-1):
  """Where the elements stand in order of the last key, then of the one before, …"""
  order = arange(shape(keys[0])[-1])
  for key in keys:
    key = asarray(key)
    order = order[argsort(key[order])]
  return order

def isscalar(x):
  return isinstance(x, (int, float, str)) or (hasattr(x, "shape") and x.shape == ())

def array_equiv(a, b):
  a, b = asarray(a), asarray(b)
  return bool(all(a == b))

def ndenumerate(arr):
  """(coordinates, element) of each element."""
  arr = asarray(arr)
  return [(place, arr[place]) for place in ndindex(*arr.shape)]

def fromfunction(function, shape, dtype=float):
  """What a function makes of the coordinates."""
  return function(*[x.astype(dtype) for x in indices(shape)])

def fromiter(items, dtype, count=-1):
  items = list(items)
  return asarray(items if count < 0 else items[:count], dtype)

class vectorize:
  """A function of numbers, called for each element."""
  def __init__(self, pyfunc, otypes=None, excluded=None, signature=None):
    if signature is not None:
      raise NotImplementedError("`vectorize` calls the function for each element here, without a signature")
    self._function = pyfunc
    self._dtype = otypes[0] if otypes else None
  def __call__(self, *arrays):
    arrays = broadcast_arrays(*arrays)
    flat = [ravel(a) for a in arrays]
    out = [self._function(*[a[i] for a in flat]) for i in static_range(flat[0].size)]
    if len(out) > 0 and isinstance(out[0], tuple):
      return tuple([reshape(asarray([row[k] for row in out]), arrays[0].shape) for k in static_range(len(out[0]))])
    return reshape(asarray(out, self._dtype), arrays[0].shape)

def packbits(a, axis=None, bitorder="big"):
  """Eight truth values a byte, the first the highest bit."""
  if axis is not None:
    raise NotImplementedError("`packbits` takes all elements here, without `axis`")
  bits = ravel(asarray(a)) != 0
  bits = concatenate([bits, zeros((-bits.size % 8,), i1)])
  places = arange(8)
  weights = 2 ** (7 - places if bitorder == "big" else places)
  return sum(reshape(bits, (-1, 8)) * weights, axis=1).astype("uint8")

def unpackbits(a, axis=None, bitorder="big"):
  """The bits of bytes, the highest first."""
  if axis is not None:
    raise NotImplementedError("`unpackbits` takes all elements here, without `axis`")
  places = arange(8)
  places = 7 - places if bitorder == "big" else places
  return ravel((ravel(asarray(a)).astype("int32")[:, None] >> places) & 1).astype("uint8")

def bitwise_count(x):
  """How many bits of the magnitude are 1."""
  x = abs(asarray(x))
  total, bits = zeros(x.shape, "uint8"), x.dtype.itemsize * 8
  for i in static_range(bits):
    total = total + ((x >> i) & 1).astype("uint8")
  return total

def shares_memory(a, b):
  raise NotImplementedError("arrays do not tell which elements they share here")

may_share_memory = shares_memory

def can_cast(from_, to, casting="safe"):
  """Whether a dtype holds all that another has."""
  from_, to = dtype(from_), dtype(to)
  return result_type(from_, to) == to

def float_power(x, y):
  return asarray(x).astype("float64") ** y

def sinc(x):
  x = pi * asarray(x)
  safe = select(x == 0, 1.0, x)
  return select(x == 0, 1.0, sin(safe) / safe)

def modf(x):
  """The part behind the point, and that before it."""
  x = asarray(x)
  whole = trunc(x)
  return x - whole, whole

def frexp(x):
  """(m, e) with x = m * 2 ** e and m from 0.5 up to 1."""
  x = asarray(x)
  size = abs(x)
  usual = (size > 0) & (size < inf)
  e = select(usual, floor(log2(select(usual, size, 1.0))) + 1, 0.0)
  half = e * 0.5
  m = select(usual, x / 2.0 ** floor(half) / 2.0 ** (e - floor(half)), x)
  over, under = abs(m) >= 1, usual & (abs(m) < 0.5)
  m = select(over, m / 2, select(under, m * 2, m))
  e = select(over, e + 1, select(under, e - 1, e))
  return m, e.astype("int32")

def ldexp(x, e):
  return asarray(x) * 2.0 ** asarray(e)

def degrees(x):
  return asarray(x) * (180 / pi)

def radians(x):
  return asarray(x) * (pi / 180)

def logaddexp2(x, y):
  return log2(exp2(asarray(x)) + exp2(asarray(y)))

def arcsinh(x):
  x = asarray(x)
  return sign(x) * log(abs(x) + sqrt(x * x + 1))

def arccosh(x):
  x = asarray(x)
  return log(x + sqrt(x * x - 1))

def arctanh(x):
  x = asarray(x)
  return 0.5 * (log1p(x) - log1p(-x))

def isposinf(x):
  return asarray(x) == inf

def isneginf(x):
  return asarray(x) == -inf

def isreal(x):
  return ones(shape(x), i1)

def real(x):
  return asarray(x)

conj = real
conjugate = real

def gcd(x, y):
  x, y = abs(asarray(x)), abs(asarray(y))
  x, y = broadcast_arrays(x, y)
  while any(y != 0):
    rest = select(y != 0, x % select(y != 0, y, 1), 0)
    x, y = select(y != 0, y, x), rest
  return x

def lcm(x, y):
  x, y = asarray(x), asarray(y)
  return abs(x * y) // maximum(gcd(x, y), 1)

def polyval(p, x):
  """The polynomial whose coefficients are p, the highest power's first."""
  p, total = asarray(p), zeros(shape(x), result_type(asarray(p), asarray(x)))
  for i in static_range(p.size):
    total = total * x + p[i]
  return total

def vander(x, N=None, increasing=False):
  x = asarray(x)
  powers = arange(x.size if N is None else N)
  return x[:, None] ** (powers if increasing else flip(powers))

def gradient(f, spacing=1.0):
  """Slopes between the neighbours, at the ends to the one there is."""
  f = asarray(f)
  if f.ndim != 1:
    raise NotImplementedError("`gradient` takes an array of one dimension here")
  middle = (f[2:] - f[:-2]) / (2 * spacing)
  return concatenate([(f[1:2] - f[:1]) / spacing, middle, (f[-1:] - f[-2:-1]) / spacing])

def trapezoid(y, x=None, dx=1.0, axis=-1):
  y = moveaxis(asarray(y), axis, -1)
  width = dx if x is None else diff(asarray(x))
  return sum((y[..., 1:] + y[..., :-1]) * width / 2, axis=-1)

def cross(a, b):
  """The vectors that stand upright on those of three numbers."""
  a, b = asarray(a), asarray(b)
  x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
  y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
  z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
  return stack([x, y, z], axis=-1)

def vecdot(a, b, axis=-1):
  return sum(asarray(a) * asarray(b), axis=axis)

def cov(m, rowvar=True, ddof=1):
  """Covariances of the rows."""
  m = atleast_2d(asarray(m) if rowvar else transpose(asarray(m)))
  away = m - mean(m, axis=1, keepdims=True)
  return squeeze(away @ transpose(away) / (m.shape[1] - ddof))

def corrcoef(m, y=None):
  """Correlations of the rows."""
  m = asarray(m) if y is None else stack([asarray(m), asarray(y)])
  c = cov(m)
  root = sqrt(diag(c))
  return c / outer(root, root)

def ediff1d(x):
  return diff(ravel(asarray(x)))

def union1d(a, b):
  return unique(concatenate([ravel(asarray(a)), ravel(asarray(b))]))

def intersect1d(a, b):
  a = unique(a)
  return a[isin(a, b)]

def setdiff1d(a, b):
  a = unique(a)
  return a[~isin(a, b)]

in1d = isin

def trim_zeros(x):
  x = asarray(x)
  places = nonzero(x)[0]
  return x[places[0]:places[-1] + 1] if places.size > 0 else x[:0]

def cumulative_sum(x, axis=None):
  return cumsum(x, axis)

def diagflat(x, k=0):
  return diag(ravel(asarray(x)), k)

def diag_indices(n, ndim=2):
  return (arange(n),) * ndim

def ix_(*places):
  """Indices that choose rows and columns: x[np.ix_(rows, columns)]."""
  out = []
  for i, part in enumerate(places):
    part = asarray(part)
    part = nonzero(part)[0] if part.dtype == i1 else part
    out.append(reshape(part, (1,) * i + (-1,) + (1,) * (len(places) - i - 1)))
  return tuple(out)

def geomspace(start, stop, num=50):
  return 10.0 ** linspace(log10(float(start)), log10(float(stop)), num)

def histogram_bin_edges(a, bins=10, range=None):
  return histogram(a, bins, range)[1]

class _Slices:
  def __getitem__(self, index):
    return index

s_ = _Slices()
index_exp = s_

class _Grids:
  def __init__(self, dense):
    self._dense = dense
  def __getitem__(self, index):
    parts = index if isinstance(index, tuple) else (index,)
    lines = [arange(0 if part.start is None else part.start, part.stop, 1 if part.step is None else part.step)
             for part in parts]
    if len(lines) == 1:
      return lines[0]
    if self._dense:
      return stack(list(meshgrid(*lines, indexing="ij")))
    return tuple([reshape(line, (1,) * i + (-1,) + (1,) * (len(lines) - i - 1)) for i, line in enumerate(lines)])

mgrid = _Grids(True)
ogrid = _Grids(False)

class _Rows:
  def __getitem__(self, index):
    return concatenate([atleast_1d(part) for part in (index if isinstance(index, tuple) else (index,))])

class _Columns:
  def __getitem__(self, index):
    return column_stack(list(index) if isinstance(index, tuple) else [index])

r_ = _Rows()
c_ = _Columns()

asanyarray = asarray

def asfortranarray(x):
  return asarray(x)

def require(x, dtype=None, requirements=None):
  return asarray(x, dtype)

# --- functions of elements as functions of whole arrays: `np.add.reduce(x)`, `np.maximum.outer(a, b)`, …

def _lined_up(x, axis):
  x = asarray(x)
  return moveaxis(x, axis, 0)

def _ufunc_reduce(function, x, axis=0, dtype=None, out=None, keepdims=False, initial=None):
  """The elements along an axis put together by the function."""
  x = asarray(x) if dtype is None else asarray(x).astype(dtype)
  if axis is None:
    x, axis = ravel(x), 0
  rows = _lined_up(x, axis)
  total = initial
  for i in static_range(rows.shape[0]):
    total = rows[i] if total is None else function(total, rows[i])
  return expand_dims(total, axis) if keepdims else total

def _ufunc_accumulate(function, x, axis=0):
  """Those of the first 1, 2, 3, … elements along an axis."""
  rows, out = _lined_up(x, axis), []
  for i in static_range(rows.shape[0]):
    out.append(rows[i] if i == 0 else function(out[-1], rows[i]))
  return moveaxis(stack(out), 0, axis) if len(out) > 0 else asarray(x)

def _ufunc_outer(function, a, b):
  """The function of each element of a with each of b."""
  a, b = asarray(a), asarray(b)
  return function(reshape(a, a.shape + (1,) * b.ndim), b)

def _ufunc_reduceat(function, x, indices, axis=0):
  """The elements between places along an axis put together."""
  rows = _lined_up(x, axis)
  bounds = [int(i) for i in asarray(indices)] + [rows.shape[0]]
  out = [_ufunc_reduce(function, rows[a:b]) if a < b else rows[a] for a, b in zip(bounds[:-1], bounds[1:])]
  return moveaxis(stack(out), 0, axis)

def _ufunc_at(function, x, indices, values):
  """x[indices] = function(x[indices], values) in place, where each index counts as often as it occurs."""
  methods = {"add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "maximum": "max",
             "minimum": "min"}
  name = function.__name__
  if name not in methods:
    raise NotImplementedError(f"`{name}.at` is not here; `{'`, `'.join(methods)}` have it")
  x[...] = getattr(x.at[indices], methods[name])(values)
