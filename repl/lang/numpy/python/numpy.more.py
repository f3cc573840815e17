# Functions that fewer programs use; read when one of them is first asked for.

concat = concatenate

def astype_of(x, dtype):
  return x if dtype is None else x.astype(dtype)

def atleast_1d(x):
  return reshape(x, (1,)) if ndim(x) == 0 else asarray(x)

def atleast_2d(x):
  return asarray(x) if ndim(x) > 1 else reshape(x, (1, -1))

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

def histogram(x, bins=10, range=None):
  """How many elements lie in each of equal bins, or between the given edges; and the edges."""
  x = ravel(asarray(x))
  if isinstance(bins, int):
    low, high = (float(min(x)), float(max(x))) if range is None else range
    edges = linspace(low, high, bins + 1)
  else:
    edges = asarray(bins)
  inside = (x[:, None] >= edges[:-1]) & (x[:, None] < edges[1:])
  last = (x[:, None] == edges[-1]) & (arange(edges.size - 1) == edges.size - 2)
  return sum(inside | last, axis=0), edges

def digitize(x, bins, right=False):
  return searchsorted(bins, x, side="left" if right else "right")

def interp(x, xp, fp):
  """Straight lines between the points (xp, fp)."""
  x, xp, fp = asarray(x), asarray(xp), asarray(fp)
  i = clip(searchsorted(xp, x, side="right"), 1, xp.size - 1)
  t = (x - xp[i - 1]) / (xp[i] - xp[i - 1])
  return select(x <= xp[0], fp[0], select(x >= xp[-1], fp[-1], fp[i - 1] + t * (fp[i] - fp[i - 1])))

def quantile(x, q, axis=None):
  """What a part q of the elements lies below, between two of them in proportion."""
  x = ravel(asarray(x)) if axis is None else moveaxis(asarray(x), axis, -1)
  x, place = sort(x), asarray(q) * (x.shape[-1] - 1)
  low = floor(place)
  first = low.astype("int32")
  following = minimum(first + 1, x.shape[-1] - 1)
  return x[..., first] + (x[..., following] - x[..., first]) * (place - low)

def percentile(x, q, axis=None):
  return quantile(x, asarray(q) / 100, axis)

def nansum(x, axis=None, keepdims=False):
  return sum(select(isnan(x), 0, x), axis=axis, keepdims=keepdims)

def nanmax(x, axis=None, keepdims=False):
  return max(select(isnan(x), -inf, x), axis=axis, keepdims=keepdims)

def nanmin(x, axis=None, keepdims=False):
  return min(select(isnan(x), inf, x), axis=axis, keepdims=keepdims)

def nanmean(x, axis=None, keepdims=False):
  return nansum(x, axis, keepdims) / sum(~isnan(x), axis=axis, keepdims=keepdims)

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

def put_along_axis(x, indices, values, axis):
  raise NotImplementedError("write `x = x.at[index].set(values)`, or `x[index] = values`")

class _Quiet:
  def __enter__(self):
    return None
  def __exit__(self, kind, value, traceback):
    return None

def errstate(**kinds):
  """`with np.errstate(…):` changes nothing: arithmetic says nothing of infinities here."""
  return _Quiet()

def printoptions(**options):
  """`with np.printoptions(…):` changes nothing: arrays print with 8 digits."""
  return _Quiet()

def set_printoptions(**options):
  """Changes nothing: arrays print with 8 digits."""

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

def median(x, axis=None):
  x = ravel(x) if axis is None else moveaxis(x, axis, -1)
  x, n = sort(x), shape(x)[-1]
  return (x[..., (n - 1) // 2] + x[..., n // 2]) / 2

def ptp(x, axis=None):
  return max(x, axis=axis) - min(x, axis=axis)

def copyto(dst, src):
  """The elements of src into dst, in place."""
  dst[...] = src

def fill_diagonal(a, val):
  """val, a number, along the diagonal, in place."""
  for i in static_range(min(shape(a))):
    a[(i,) * ndim(a)] = val
