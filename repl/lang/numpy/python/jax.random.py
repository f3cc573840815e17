# Made of `uniform`, `normal` and `bits` in the order in which JAX draws them. Where a logarithm or a power comes last,
# the last bit may differ from XLA's.

def key_data(key):
  """The two words of a key."""
  return key

def clone(key):
  return key

def shape_of(shape, *parameters):
  """The shape that is asked for; without one, that of the parameters."""
  jnp = modules_numpy()
  return jnp.broadcast_shapes(*[jnp.shape(p) for p in parameters]) if shape is None else shape

def bernoulli(key, p=0.5, shape=None):
  """Truth values that hold with probability p."""
  return uniform(key, shape_of(shape, p)) < p

def permutation(key, x, axis=0, independent=False):
  """The ints below x, or the rows of x, in a random order."""
  jnp = modules_numpy()
  rows = jnp.arange(x) if isinstance(x, int) else jnp.asarray(x)
  order = rows if independent else jnp.arange(rows.shape[axis])
  rounds = ceil_of(3 * logarithm(max(1, order.size)) / logarithm(4294967295))
  along = axis if independent else 0
  for _ in static_range(rounds):
    pair = split(key)
    key = pair[0]
    order = jnp.take_along_axis(order, jnp.argsort(bits(pair[1], order.shape), axis=along), along)
  return order if independent else jnp.take(rows, order, axis)

def exponential(key, shape=(), dtype=f32):
  return -modules_numpy().log1p(-uniform(key, shape, dtype))

def modules_numpy():
  import jax.numpy as jnp
  return jnp

def logarithm(x):
  import math
  return math.log(x)

def ceil_of(x):
  import math
  return math.ceil(x)
