# Functions of the host; read when one of them is first asked for.

def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None):
  """Products over the contracting dimensions ((lhs, rhs), …), batched over ((lhs, rhs)): batch, lhs, rhs is the order."""
  if _in_kernel():
    raise NotImplementedError("products in kernels are `plgpu.wgmma(acc, a, b)` or `plgpu.mma`")
  import jax.numpy as jnp
  (over_l, over_r), (batch_l, batch_r) = dimension_numbers
  letters = "abcdefghijklmnopqrstuvwxyz"
  left = [letters[i] for i in static_range(lhs.ndim)]
  right = [letters[lhs.ndim + i] for i in static_range(rhs.ndim)]
  for i, j in list(zip(over_l, over_r)) + list(zip(batch_l, batch_r)):
    right[j] = left[i]
  batch = [left[i] for i in batch_l]
  gone = batch + [left[i] for i in over_l]
  out = batch + [c for c in left if c not in gone] + [c for c in right if c not in gone]
  return jnp.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", lhs, rhs,
                    preferred_element_type=preferred_element_type)

class DotAlgorithmPreset:
  """How products are computed. Those of the host are of f32 at least, whatever is said."""
  DEFAULT = "DEFAULT"
  F16_F16_F16 = "F16_F16_F16"
  F16_F16_F32 = "F16_F16_F32"
  BF16_BF16_F32 = "BF16_BF16_F32"
  TF32_TF32_F32 = "TF32_TF32_F32"
  F32_F32_F32 = "F32_F32_F32"

class RaggedDotDimensionNumbers:
  """Which dimensions a ragged product contracts and batches, which one of lhs has the groups, and which one of rhs."""
  def __init__(self, dot_dimension_numbers, lhs_ragged_dimensions, rhs_group_dimensions):
    self.dot_dimension_numbers = dot_dimension_numbers
    self.lhs_ragged_dimensions = list(lhs_ragged_dimensions)
    self.rhs_group_dimensions = list(rhs_group_dimensions)

def ragged_dot_general(lhs, rhs, group_sizes, ragged_dot_dimension_numbers, precision=None,
                       preferred_element_type=None, group_offset=None):
  """A product for each group of rows of lhs, or of elements of a contracted dimension; what no group has counts as 0."""
  import jax.numpy as jnp
  numbers = ragged_dot_dimension_numbers
  (over_l, over_r), (batch_l, batch_r) = numbers.dot_dimension_numbers
  if len(numbers.lhs_ragged_dimensions) != 1 or group_offset is not None:
    raise NotImplementedError("one dimension of lhs has groups here, and `group_offset` is None")
  ragged, groups = numbers.lhs_ragged_dimensions[0], numbers.rhs_group_dimensions
  sizes = [int(n) for n in group_sizes]
  if sum(sizes) > lhs.shape[ragged]:
    raise ValueError(f"the groups have {sum(sizes)} elements, and dimension {ragged} of lhs {lhs.shape[ragged]}")
  starts = [sum(sizes[:i]) for i in static_range(len(sizes))]
  def cut(x, axis, i):
    return x[tuple([_slice(starts[i], starts[i] + sizes[i]) if d == axis else _slice(None) for d in static_range(x.ndim)])]
  def product(a, b):
    return dot_general(a, b, ((over_l, over_r), (batch_l, batch_r)), preferred_element_type=preferred_element_type)
  if ragged in batch_l:
    raise NotImplementedError("groups of a batched dimension are not here; give each group a product of its own")
  if ragged in over_l:
    if len(groups) > 0:
      raise ValueError("rhs has no dimension of groups where a contracted dimension has them")
    other = over_r[list(over_l).index(ragged)]
    none = product(lhs, rhs) * 0
    return jnp.stack([product(cut(lhs, ragged, i), cut(rhs, other, i)) if sizes[i] > 0 else none
                      for i in static_range(len(sizes))])
  if len(groups) != 1 or rhs.shape[groups[0]] != len(sizes):
    raise ValueError(f"one dimension of rhs has the {len(sizes)} groups")
  def lower(axes):
    return [axis - (1 if axis > groups[0] else 0) for axis in axes]
  over_r, batch_r = lower(over_r), lower(batch_r)
  place = len(batch_l) + len([d for d in static_range(ragged) if d not in batch_l and d not in over_l])
  parts = [product(cut(lhs, ragged, i), jnp.take(rhs, i, groups[0])) for i in static_range(len(sizes)) if sizes[i] > 0]
  left = lhs.shape[ragged] - sum(sizes)
  if left > 0:
    starts, sizes = starts + [sum(sizes)], sizes + [left]
    parts.append(product(cut(lhs, ragged, len(sizes) - 1), jnp.take(rhs, 0, groups[0])) * 0)
  return jnp.concatenate(parts, place)

def ragged_dot(lhs, rhs, group_sizes, precision=None, preferred_element_type=None, group_offset=None):
  """For each group of rows of lhs (m, k) its product with the group's matrix of rhs (g, k, n): (m, n)."""
  return ragged_dot_general(lhs, rhs, group_sizes, RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0]),
                            precision, preferred_element_type, group_offset)

def top_k(operand, k, *, axis=-1):
  """The k largest along an axis, and where they are."""
  import jax.numpy as jnp
  if _in_kernel():
    raise NotImplementedError("there is no top_k in a kernel: take the maximum k times, with a mask from an iota")
  x = jnp.moveaxis(jnp.asarray(operand), axis, -1)
  places = jnp.argsort(-x, axis=-1, stable=True)[..., :k]
  values = jnp.take_along_axis(x, places, -1)
  return [jnp.moveaxis(values, -1, axis), jnp.moveaxis(places, -1, axis).astype(i32)]

def cumsum(operand, axis=0, reverse=False):
  """Running sums along an axis."""
  import jax.numpy as jnp
  return jnp.flip(jnp.cumsum(jnp.flip(operand, axis), axis), axis) if reverse else jnp.cumsum(operand, axis)

def _running(combine, operand, axis, reverse):
  """What `combine` makes of each element and all before it: of 1, 2, 4, … of them at a time."""
  import jax.numpy as jnp
  x = jnp.moveaxis(jnp.asarray(operand), axis, 0)
  x = jnp.flip(x, 0) if reverse else x
  reach = 1
  while reach < x.shape[0]:
    x = jnp.concatenate([x[:reach], combine(x[reach:], x[:-reach])], 0)
    reach = 2 * reach
  return jnp.moveaxis(jnp.flip(x, 0) if reverse else x, 0, axis)

def cummax(operand, axis=0, reverse=False):
  """Running maxima."""
  return _running(maximum, operand, axis, reverse)

def cummin(operand, axis=0, reverse=False):
  """Running minima."""
  return _running(minimum, operand, axis, reverse)

def cumprod(operand, axis=0, reverse=False):
  """Running products along an axis."""
  import jax.numpy as jnp
  return jnp.flip(jnp.cumprod(jnp.flip(operand, axis), axis), axis) if reverse else jnp.cumprod(operand, axis)

def sort(operand, dimension=-1, is_stable=True, num_keys=1):
  """The elements along a dimension in order."""
  import jax.numpy as jnp
  return jnp.sort(operand, dimension)

def argmax(operand, axis, index_dtype=i32):
  """Where the largest element along an axis is."""
  import jax.numpy as jnp
  return jnp.argmax(operand, axis).astype(index_dtype)

def argmin(operand, axis, index_dtype=i32):
  """Where the smallest element along an axis is."""
  import jax.numpy as jnp
  return jnp.argmin(operand, axis).astype(index_dtype)

def rev(operand, dimensions):
  """The elements in the opposite order along the dimensions."""
  import jax.numpy as jnp
  return jnp.flip(operand, tuple(dimensions))

def full(shape, fill_value, dtype=None):
  import jax.numpy as jnp
  return jnp.full(shape, fill_value, dtype)

def full_like(x, fill_value, dtype=None, shape=None):
  import jax.numpy as jnp
  return jnp.full_like(x, fill_value, dtype=dtype, shape=shape)

def empty(shape, dtype):
  import jax.numpy as jnp
  return jnp.zeros(shape, dtype)

def dynamic_update_slice(operand, update, start_indices):
  """The operand with `update` at a place."""
  import jax.numpy as jnp
  operand, update = jnp.asarray(operand), jnp.asarray(update)
  starts = [min(max(int(i), 0), n - m) for i, n, m in zip(start_indices, operand.shape, update.shape)]
  return operand.at[tuple([_slice(i, i + m) for i, m in zip(starts, update.shape)])].set(update)

def dynamic_index_in_dim(operand, index, axis=0, keepdims=True):
  """The part at an index along an axis."""
  import jax.numpy as jnp
  out = jnp.take(operand, index, axis)
  return jnp.expand_dims(out, axis) if keepdims else out

def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0):
  """`slice_size` elements along an axis."""
  import jax.numpy as jnp
  start = min(max(int(start_index), 0), jnp.shape(operand)[axis] - slice_size)
  return jnp.take(operand, jnp.arange(start, start + slice_size), axis)

def associative_scan(fn, elems, reverse=False, axis=0):
  """Running combinations by `fn` along an axis."""
  import jax.numpy as jnp
  x = jnp.moveaxis(elems, axis, 0)
  rows = [x[i] for i in (reversed(range(x.shape[0])) if reverse else range(x.shape[0]))]
  out = [rows[0]]
  for row in rows[1:]:
    out.append(fn(out[-1], row))
  return jnp.moveaxis(jnp.stack(list(reversed(out)) if reverse else out), 0, axis)

def reduce_prod(x, axes):
  import jax.numpy as jnp
  return jnp.prod(x, axis=tuple(axes))

def reduce_and(x, axes):
  return all(x, axis=tuple(axes))

def reduce_or(x, axes):
  return any(x, axis=tuple(axes))

def population_count(x):
  """How many bits are set."""
  import jax.numpy as jnp
  total = x * 0
  for i in static_range(x.dtype.bits):
    total = total + ((x >> i) & 1)
  return total

# Collectives: devices of a `jax.shard_map` meet on the host. In kernels they meet by semaphores and each other's memory.

def _met(x, axis_name, combine):
  """For each leaf `combine` of what the devices along the axis have, in their order."""
  import jax
  if _in_kernel():
    raise NotImplementedError("blocks add up through memory: `plgpu.atomic_add`, or a semaphore and a second kernel; devices by `plgpu.remote_ref` and `plgpu.multimem_load_reduce`")
  def one(leaf):
    parts = _shard_all(leaf)
    return combine([parts[device] for device in _shard_group(axis_name)])
  return jax.tree.map(one, x)

def _folded(parts, function):
  total = parts[0]
  for part in parts[1:]:
    total = function(total, part)
  return total

def psum(x, axis_name):
  """The sum over the devices along an axis, on each of them."""
  return _met(x, axis_name, lambda parts: _folded(parts, lambda a, b: a + b))

def pmean(x, axis_name):
  """The mean over the devices along an axis."""
  return _met(x, axis_name, lambda parts: _folded(parts, lambda a, b: a + b) / len(parts))

def pmax(x, axis_name):
  """The largest over the devices along an axis."""
  import jax.numpy as jnp
  return _met(x, axis_name, lambda parts: _folded(parts, jnp.maximum))

def pmin(x, axis_name):
  """The smallest over the devices along an axis."""
  import jax.numpy as jnp
  return _met(x, axis_name, lambda parts: _folded(parts, jnp.minimum))

def all_gather(x, axis_name, *, axis=0, tiled=False):
  """The devices' arrays side by side along a new dimension, or one after the other along `axis`."""
  import jax.numpy as jnp
  return _met(x, axis_name, lambda parts: jnp.concatenate(parts, axis) if tiled else jnp.stack(parts, axis))

def ppermute(x, axis_name, perm):
  """What the device before has, by pairs (from, to); zeros where nobody sends."""
  import jax.numpy as jnp
  mine = int(axis_index(axis_name))
  senders = [source for source, target in perm if target == mine]
  return _met(x, axis_name, lambda parts: parts[senders[0]] if len(senders) > 0 else jnp.zeros_like(parts[mine]))

def psum_scatter(x, axis_name, *, scatter_dimension=0, tiled=False):
  """This device's part of the sum over the devices along an axis."""
  import jax.numpy as jnp
  mine, count = int(axis_index(axis_name)), axis_size(axis_name)
  def part(parts):
    total = _folded(parts, lambda a, b: a + b)
    size = total.shape[scatter_dimension]
    if size % count != 0 or (not tiled and size != count):
      raise ValueError(f"dimension {scatter_dimension} of size {size} is not scattered over {count} devices")
    chosen = jnp.split(total, count, scatter_dimension)[mine]
    return chosen if tiled else jnp.squeeze(chosen, scatter_dimension)
  return _met(x, axis_name, part)

def all_to_all(x, axis_name, split_axis, concat_axis, *, tiled=False):
  """Part i along `split_axis` goes to device i; what has come is joined along `concat_axis`."""
  import jax.numpy as jnp
  mine, count = int(axis_index(axis_name)), axis_size(axis_name)
  def joined(parts):
    chosen = [jnp.split(part, count, split_axis)[mine] for part in parts]
    if tiled:
      return jnp.concatenate(chosen, concat_axis)
    return jnp.stack([jnp.squeeze(one, split_axis) for one in chosen], concat_axis)
  return _met(x, axis_name, joined)

def slice(operand, start_indices, limit_indices, strides=None):
  """The part from the starts up to the limits."""
  steps = (1,) * len(start_indices) if strides is None else strides
  return operand[tuple([_slice(a, b, n) for a, b, n in zip(start_indices, limit_indices, steps)])]

def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
  return operand[(_slice(None),) * (axis % operand.ndim) + (_slice(start_index, limit_index, stride),)]

def index_in_dim(operand, index, axis=0, keepdims=True):
  import jax.numpy as jnp
  out = jnp.take(operand, index, axis)
  return jnp.expand_dims(out, axis) if keepdims else out

def dynamic_update_slice_in_dim(operand, update, start_index, axis):
  axis = axis % operand.ndim
  starts = [start_index if i == axis else 0 for i in static_range(operand.ndim)]
  return operand.at[tuple([_slice(a, a + n) for a, n in zip(starts, update.shape)])].set(update)

def dynamic_update_index_in_dim(operand, update, index, axis):
  import jax.numpy as jnp
  update = jnp.expand_dims(update, axis) if jnp.ndim(update) < operand.ndim else update
  return dynamic_update_slice_in_dim(operand, update, index, axis)

def pad(operand, padding_value, padding_config):
  """The operand with elements before, behind and between its own along each dimension; negative numbers cut."""
  import jax.numpy as jnp
  x = jnp.asarray(operand)
  sizes = [n + max(n - 1, 0) * inner for n, (low, high, inner) in zip(x.shape, padding_config)]
  wide = jnp.full(tuple(sizes), padding_value, x.dtype)
  wide = wide.at[tuple([_slice(None, None, inner + 1) for low, high, inner in padding_config])].set(x)
  wide = jnp.pad(wide, [(max(low, 0), max(high, 0)) for low, high, inner in padding_config], constant_values=padding_value)
  return wide[tuple([_slice(max(-low, 0), n - max(-high, 0)) for n, (low, high, inner) in zip(wide.shape, padding_config)])]

def split(operand, sizes, axis=0):
  """Parts of those sizes along an axis."""
  import jax.numpy as jnp
  places, total = [], 0
  for n in sizes[:-1]:
    total = total + n
    places.append(total)
  return jnp.split(operand, places, axis)

def collapse(operand, start_dimension, stop_dimension=None):
  stop = operand.ndim if stop_dimension is None else stop_dimension
  return operand.reshape(operand.shape[:start_dimension] + (-1,) + operand.shape[stop:])

def broadcast_shapes(*shapes):
  import jax.numpy as jnp
  return jnp.broadcast_shapes(*shapes)

def dtype(x):
  import jax.numpy as jnp
  return jnp.asarray(x).dtype

def batch_matmul(lhs, rhs, precision=None):
  import jax.numpy as jnp
  return jnp.matmul(lhs, rhs)

def reduce_precision(operand, exponent_bits, mantissa_bits):
  """Rounded to the bits of a format that there is: bfloat16, float16, float32."""
  formats = {(8, 7): "bfloat16", (5, 10): "float16", (8, 23): "float32"}
  if (exponent_bits, mantissa_bits) not in formats:
    raise NotImplementedError("`reduce_precision` rounds to bfloat16 (8, 7), float16 (5, 10) and float32 (8, 23) here")
  return operand.astype(formats[(exponent_bits, mantissa_bits)]).astype(operand.dtype)

def sort_key_val(keys, values, dimension=-1, is_stable=True):
  import jax.numpy as jnp
  order = jnp.argsort(keys, axis=dimension)
  return jnp.take_along_axis(keys, order, dimension), jnp.take_along_axis(values, order, dimension)

def tan(x):
  import jax.numpy as jnp
  return jnp.tan(x)

def sinh(x):
  import jax.numpy as jnp
  return jnp.sinh(x)

def cosh(x):
  import jax.numpy as jnp
  return jnp.cosh(x)

def cbrt(x):
  import jax.numpy as jnp
  return jnp.cbrt(x)

def erfc(x):
  import jax.numpy as jnp
  return jnp.asarray(1.0, f32) - erf(x)

def atan2(y, x):
  import jax.numpy as jnp
  return jnp.arctan2(y, x)

def nextafter(x, y):
  import jax.numpy as jnp
  return jnp.nextafter(x, y)

class RoundingMethod:
  AWAY_FROM_ZERO = 0
  TO_NEAREST_EVEN = 1
