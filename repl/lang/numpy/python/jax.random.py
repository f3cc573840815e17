def key_data(key):
  """The two words of a key."""
  return key

def clone(key):
  return key

def bernoulli(key, p=0.5, shape=()):
  """Truth values that hold with probability p."""
  return uniform(key, shape) < p

def permutation(key, x, axis=0, independent=False):
  """The ints below x, or the rows of x, in a random order."""
  if independent:
    raise NotImplementedError("permutation shuffles whole rows here")
  jnp = modules_numpy()
  rows = jnp.arange(x) if isinstance(x, int) else x
  order = jnp.arange(rows.shape[axis])
  count = max(1, order.size)
  rounds = ceil_of(3 * logarithm(count) / logarithm(4294967295))
  for _ in static_range(rounds):
    pair = split(key)
    key = pair[0]
    order = order[jnp.argsort(bits(pair[1], order.shape))]
  return jnp.take(rows, order, axis)

def choice(key, a, shape=(), replace=True, p=None, axis=0):
  """Some of the ints below a, or of the rows of a."""
  jnp = modules_numpy()
  n = a if isinstance(a, int) else a.shape[axis]
  count = 1
  for size in shape:
    count = count * size
  if p is not None:
    if not replace:
      raise NotImplementedError("with probabilities, elements are chosen with repetition here")
    total = jnp.cumsum(p)
    found = jnp.searchsorted(total, total[-1] * (1 - uniform(key, shape)))
  elif replace:
    found = randint(key, shape, 0, n)
  else:
    if count > n:
      raise ValueError(f"{count} different ones of {n} cannot be chosen")
    found = jnp.reshape(permutation(key, n)[:count], shape)
  return found if isinstance(a, int) else jnp.take(a, found, axis)

def exponential(key, shape=(), dtype=f32):
  return -modules_numpy().log1p(-uniform(key, shape, dtype))

def truncated_normal(key, lower, upper, shape=(), dtype=f32):
  raise NotImplementedError("there are uniform, normal, randint, bernoulli, permutation and choice")

def modules_numpy():
  import jax.numpy as jnp
  return jnp

def logarithm(x):
  import math
  return math.log(x)

def ceil_of(x):
  import math
  return math.ceil(x)
