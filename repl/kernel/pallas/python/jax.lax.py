# Loops and branches of JAX, made of the language's `for`, `while` and `if`, whose bodies run on the device in kernels.
# JAX carries trees, and the language carries tuples.

def fori_loop(lower, upper, body_fun, init_val, unroll=None):
  """Runs `value = body_fun(i, value)` for i from lower up to upper, and returns the last value."""
  if _on_subcore():
    return _subcore_fori_loop(lower, upper, body_fun, init_val, 1 if unroll is None else unroll)
  carried = _tuples(init_val)
  if unroll is True:
    for i in static_range(lower, upper):
      carried = _tuples(body_fun(i, _restored(carried, init_val)))
  elif unroll is None or unroll is False or unroll == 1:
    for i in range(lower, upper):
      carried = _tuples(body_fun(i, _restored(carried, init_val)))
  else:
    for i in range(lower, upper, unroll=unroll):
      carried = _tuples(body_fun(i, _restored(carried, init_val)))
  return _restored(carried, init_val)

def while_loop(cond_fun, body_fun, init_val):
  """Runs `value = body_fun(value)` while cond_fun(value) holds, and returns the last value."""
  carried = _tuples(init_val)
  while cond_fun(_restored(carried, init_val)):
    carried = _tuples(body_fun(_restored(carried, init_val)))
  return _restored(carried, init_val)

def cond(pred, true_fun, false_fun, *operands):
  """true_fun(*operands) if pred holds, otherwise false_fun(*operands)."""
  if pred:
    out = _tuples(true_fun(*operands))
  else:
    out = _tuples(false_fun(*operands))
  return out

def switch(index, branches, *operands):
  """branches[index](*operands). An index outside takes the nearest branch."""
  if len(branches) == 1:
    return branches[0](*operands)
  if index <= 0:
    out = _tuples(branches[0](*operands))
  else:
    out = _tuples(switch(index - 1, branches[1:], *operands))
  return out

def axis_size(axis_name):
  """The size of an axis, or the product of several sizes."""
  return int(_axis_size(axis_name))

def broadcast_in_dim(operand, shape, broadcast_dimensions):
  """The operand broadcast to `shape`. Its dimension i becomes dimension `broadcast_dimensions[i]`."""
  return _broadcast_in_dim(operand, tuple(shape), tuple(broadcast_dimensions))

def broadcasted_iota(dtype, shape, dimension, **options):
  """The index of each element along a dimension."""
  return _broadcasted_iota(dtype, tuple(shape), dimension, **options)

def iota(dtype, size):
  return _broadcasted_iota(dtype, (size,), 0)

def select_n(which, *cases):
  """cases[1] where `which` is true, else cases[0]."""
  assert len(cases) == 2, "select_n chooses between two cases here"
  return where(which, cases[1], cases[0])

def convert_element_type(x, new_dtype):
  """x converted to another dtype."""
  return jnp.asarray(x, new_dtype)

def is_finite(x):
  return abs(x) < float("inf")

def erfc(x):
  return 1.0 - erf(x)

def broadcast(x, sizes):
  return broadcast_to(x, tuple(sizes) + x.shape)

def expand_dims(x, dimensions):
  return jnp.expand_dims(x, tuple(dimensions))

def squeeze(x, dimensions):
  return jnp.squeeze(x, tuple(dimensions))

def reshape(x, new_sizes, dimensions=None):
  return jnp.reshape(x, new_sizes)

def slice(operand, start_indices, limit_indices, strides=None):
  """The part of the operand from the start indices up to the limit indices."""
  steps = (1,) * len(start_indices) if strides is None else strides
  return operand[tuple([_slice(a, b, n) for a, b, n in zip(start_indices, limit_indices, steps)])]

def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
  return operand[(_slice(None),) * (axis % operand.ndim) + (_slice(start_index, limit_index, stride),)]

def dynamic_slice(x, start_indices, slice_sizes):
  return x[tuple([_slice(start, start + size) for start, size in zip(start_indices, slice_sizes)])]

def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0):
  """`slice_size` elements along an axis, from `start_index` on."""
  return operand[(_slice(None),) * (axis % operand.ndim) + (_slice(start_index, start_index + slice_size),)]

def split(operand, sizes, axis=0):
  """Parts of the given sizes along an axis."""
  places, total = [], 0
  for n in sizes[:-1]:
    total = total + n
    places.append(total)
  return jnp.split(operand, places, axis)

def integer_pow(x, y):
  return x ** y

def reduce_sum(x, axes):
  return sum(x, axis=tuple(axes))

def reduce_max(x, axes):
  return max(x, axis=tuple(axes))

def reduce_min(x, axes):
  return min(x, axis=tuple(axes))

def reduce_prod(x, axes):
  return prod(x, axis=tuple(axes))

def reduce_and(x, axes):
  return all(x, axis=tuple(axes))

def reduce_or(x, axes):
  return any(x, axis=tuple(axes))

def population_count(x):
  """The number of bits that are set."""
  total = x * 0
  for i in static_range(x.dtype.bits):
    total = total + ((x >> i) & 1)
  return total

def stop_gradient(x):
  return x

def add(x, y):
  return x + y

def sub(x, y):
  return x - y

def mul(x, y):
  return x * y

def pow(x, y):
  return x ** y

def neg(x):
  return -x

def square(x):
  return x * x

def reciprocal(x):
  return 1 / x

def lt(x, y):
  return x < y

def le(x, y):
  return x <= y

def gt(x, y):
  return x > y

def ge(x, y):
  return x >= y

def eq(x, y):
  return x == y

def ne(x, y):
  return x != y

def bitwise_and(x, y):
  return x & y

def bitwise_or(x, y):
  return x | y

def bitwise_xor(x, y):
  return x ^ y

def bitwise_not(x):
  return ~x

def log1p(x):
  return jnp.log1p(x)

def expm1(x):
  return jnp.expm1(x)

def tan(x):
  return jnp.tan(x)

def sinh(x):
  return jnp.sinh(x)

def cosh(x):
  return jnp.cosh(x)

def cbrt(x):
  return jnp.cbrt(x)

def dynamic_index_in_dim(operand, index, axis=0, keepdims=True):
  """The part at an index along an axis."""
  return dynamic_slice_in_dim(operand, index, 1, axis) if keepdims else operand[(_slice(None),) * (axis % operand.ndim) + (index,)]
