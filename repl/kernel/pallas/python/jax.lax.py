# Loops and branches of JAX: `for`, `while` and `if` of the language, whose bodies run on the device in kernels. What is
# carried may be a tree; the language carries tuples.

def fori_loop(lower, upper, body_fun, init_val, unroll=None):
  """`body_fun(i, value)` for i from lower up to upper; the last value."""
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
  """`value = body_fun(value)` as long as cond_fun(value)."""
  carried = _tuples(init_val)
  while cond_fun(_restored(carried, init_val)):
    carried = _tuples(body_fun(_restored(carried, init_val)))
  return _restored(carried, init_val)

def cond(pred, true_fun, false_fun, *operands):
  """true_fun(*operands) where pred holds, else false_fun(*operands)."""
  if pred:
    out = _tuples(true_fun(*operands))
  else:
    out = _tuples(false_fun(*operands))
  return out

def switch(index, branches, *operands):
  """branches[index](*operands); an index outside takes the nearest."""
  if len(branches) == 1:
    return branches[0](*operands)
  if index <= 0:
    out = _tuples(branches[0](*operands))
  else:
    out = _tuples(switch(index - 1, branches[1:], *operands))
  return out

def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
  """`carry, y = f(carry, x)` for the rows of xs, a tree of arrays; the last carry, and the ys as one such tree."""
  import jax
  import jax.numpy as jnp
  leaves = jax.tree.leaves(xs)
  count = length if len(leaves) == 0 else leaves[0].shape[0]
  for leaf in leaves:
    if leaf.shape[0] != count:
      raise ValueError(f"the arrays that `scan` goes through have {count} and {leaf.shape[0]} rows")
  places = list(static_range(count))
  carry, ys = init, []
  for i in reversed(places) if reverse else places:
    carry, y = f(carry, jax.tree.map(lambda x: x[i], xs))
    ys.append(y)
  if len(ys) == 0 or len(jax.tree.leaves(ys[0])) == 0:
    return carry, None
  return carry, jax.tree.map(lambda *rows: jnp.stack(list(reversed(rows)) if reverse else list(rows)), *ys)

def axis_size(axis_name):
  """The size of an axis, or of several together."""
  return int(_axis_size(axis_name))

def floor(x):
  import jax.numpy as jnp
  return jnp.floor(x)

def ceil(x):
  import jax.numpy as jnp
  return jnp.ceil(x)

def sign(x):
  import jax.numpy as jnp
  return jnp.sign(x)

def round(x, rounding_method=None):
  import jax.numpy as jnp
  return jnp.rint(x)

def log1p(x):
  import jax.numpy as jnp
  return jnp.log1p(x)

def expm1(x):
  import jax.numpy as jnp
  return jnp.expm1(x)

def is_finite(x):
  import jax.numpy as jnp
  return jnp.isfinite(x)

def on_host(*values):
  return not _in_kernel() or all([isinstance(v, (int, float)) for v in values])

def div(x, y):
  """x / y; of integers rounded towards zero."""
  if not on_host(x, y):
    return _div(x, y)
  import jax.numpy as jnp
  if jnp.issubdtype(jnp.result_type(x, y), jnp.floating):
    return x / y
  away = abs(x) // abs(y)
  if isinstance(x, int) and isinstance(y, int):
    return -away if (x < 0) != (y < 0) else away
  return jnp.where((jnp.asarray(x) < 0) != (jnp.asarray(y) < 0), -away, away)

def rem(x, y):
  """What is left of x / y, with the sign of x."""
  if not on_host(x, y):
    return _rem(x, y)
  return x - div(x, y) * y

def shift_right_logical(x, y):
  """x shifted to the right by y bits, zeros from the left; a number counts as one of 32 bits."""
  if on_host(x, y) and isinstance(x, int):
    import jax.numpy as jnp
    x = jnp.asarray(x)
  return _shift_right_logical(x, y)

def logistic(x):
  """1 / (1 + exp(-x))"""
  import jax.numpy as jnp
  return jnp.logistic(x)

def broadcast_in_dim(operand, shape, broadcast_dimensions):
  """The operand over `shape`: its dimension i is dimension `broadcast_dimensions[i]` of that."""
  if _in_kernel():
    return _broadcast_in_dim(operand, tuple(shape), tuple(broadcast_dimensions))
  import jax.numpy as jnp
  sizes = [1] * len(shape)
  for n, d in zip(jnp.shape(operand), broadcast_dimensions):
    sizes[d] = n
  return jnp.broadcast_to(jnp.reshape(jnp.asarray(operand), tuple(sizes)), tuple(shape))

def broadcasted_iota(dtype, shape, dimension, **options):
  """The index along a dimension."""
  if _in_kernel():
    return _broadcasted_iota(dtype, tuple(shape), dimension, **options)
  import jax.numpy as jnp
  return jnp.indices(tuple(shape), dtype=dtype)[dimension]

def select(pred, on_true, on_false):
  """on_true where pred holds, else on_false."""
  import jax.numpy as jnp
  return jnp.where(pred, on_true, on_false)

def select_n(which, *cases):
  """cases[1] where `which` holds, else cases[0]."""
  import jax.numpy as jnp
  if len(cases) != 2:
    raise NotImplementedError("select_n chooses between two cases here")
  return jnp.where(which, cases[1], cases[0])

def convert_element_type(x, new_dtype):
  """x in another dtype."""
  import jax.numpy as jnp
  return jnp.asarray(x, new_dtype)

def iota(dtype, size):
  import jax.numpy as jnp
  return jnp.arange(size, dtype=dtype)

def broadcast(x, sizes):
  import jax.numpy as jnp
  return jnp.broadcast_to(x, tuple(sizes) + jnp.shape(x))

def expand_dims(x, dimensions):
  import jax.numpy as jnp
  return jnp.expand_dims(x, tuple(dimensions))

def squeeze(x, dimensions):
  import jax.numpy as jnp
  return jnp.squeeze(x, tuple(dimensions))

def reshape(x, new_sizes, dimensions=None):
  import jax.numpy as jnp
  return jnp.reshape(x, new_sizes)

def concatenate(operands, dimension):
  import jax.numpy as jnp
  return jnp.concatenate(operands, dimension)

def dynamic_slice(x, start_indices, slice_sizes):
  return x[tuple([_slice(start, start + size) for start, size in zip(start_indices, slice_sizes)])]

class Precision:
  """How exactly products of the host are computed: always in f64, rounded once."""
  DEFAULT = "DEFAULT"
  HIGH = "HIGH"
  HIGHEST = "HIGHEST"

def dot(a, b, precision=None, preferred_element_type=None):
  import jax.numpy as jnp
  return jnp.dot(a, b, preferred_element_type=preferred_element_type)

def add(x, y):
  return x + y

def sub(x, y):
  return x - y

def mul(x, y):
  return x * y

def pow(x, y):
  return x ** y

def integer_pow(x, y):
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

def clamp(low, x, high):
  """x, no smaller than low and no larger than high."""
  return minimum(maximum(x, low), high)

def stop_gradient(x):
  return x

def reduce_sum(x, axes):
  return sum(x, axis=axes)

def reduce_max(x, axes):
  return max(x, axis=axes)

def reduce_min(x, axes):
  return min(x, axis=axes)

def map(f, xs):
  """f of each row of xs, stacked."""
  import jax.numpy as jnp
  return jnp.stack([f(x) for x in xs])
