# Choices and distributions; read when one of them is first asked for.

def choice(key, a, shape=(), replace=True, p=None, axis=0):
  """Some of the ints below a, or of the rows of a."""
  jnp = modules_numpy()
  n = a if isinstance(a, int) else a.shape[axis]
  count = 1
  for size in shape:
    count = count * size
  if p is not None and not replace:
    if count > n:
      raise ValueError(f"{count} different ones of {n} cannot be chosen")
    weights = gumbel(key, (n,)) + jnp.log(jnp.asarray(p, f32))
    found = jnp.reshape(jnp.argsort(-weights)[:count], shape)
  elif p is not None:
    total = jnp.cumsum(jnp.asarray(p, f32))
    found = jnp.searchsorted(total, total[-1] * (1 - uniform(key, shape)))
  elif replace:
    found = randint(key, shape, 0, n)
  else:
    if count > n:
      raise ValueError(f"{count} different ones of {n} cannot be chosen")
    found = jnp.reshape(permutation(key, n)[:count], shape)
  return found if isinstance(a, int) else jnp.take(a, found, axis)

def limits(dtype):
  return modules_numpy().finfo(dtype)

def truncated_normal(key, lower, upper, shape=None, dtype=f32):
  """Normal floats between lower and upper."""
  jnp = modules_numpy()
  shape = shape_of(shape, lower, upper)
  low, high, root = jnp.asarray(lower, dtype), jnp.asarray(upper, dtype), jnp.asarray(1.4142135623730951, dtype)
  u = uniform(key, shape, dtype, erf(low / root), erf(high / root))
  inside = root * _erf_inv(u)
  return jnp.clip(inside, jnp.nextafter(low, jnp.inf), jnp.nextafter(high, -jnp.inf))

def gumbel(key, shape=(), dtype=f32, mode=None):
  """Floats of the Gumbel distribution."""
  if mode is not None and mode != "low":
    raise NotImplementedError("Gumbel numbers are made with mode=\"low\" here, which is JAX's default")
  return -log(-log(uniform(key, shape, dtype, limits(dtype).tiny, 1.0)))

def categorical(key, logits, axis=-1, shape=None, replace=True, mode=None):
  """Ints below the size of `axis`, with the probabilities softmax(logits)."""
  jnp = modules_numpy()
  logits = jnp.asarray(logits)
  axis = axis - logits.ndim if axis >= 0 else axis
  batch = tuple([n for i, n in enumerate(logits.shape) if i - logits.ndim != axis])
  shape = batch if shape is None else tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
  ahead = shape[:len(shape) - len(batch)]
  if jnp.broadcast_shapes(shape, batch) != shape:
    raise ValueError(f"the shape {shape} does not end as those of the logits without their axis, {batch}")
  if replace:
    sizes = list(shape[len(ahead):])
    sizes.insert(axis % logits.ndim, logits.shape[axis])
    return jnp.argmax(gumbel(key, ahead + tuple(sizes), logits.dtype, mode) + logits, axis=axis).astype(i32)
  count = 1
  for n in ahead:
    count = count * n
  if count > logits.shape[axis]:
    raise ValueError(f"{count} different ones of {logits.shape[axis]} cannot be chosen")
  weights = jnp.moveaxis(logits + gumbel(key, logits.shape, logits.dtype, mode), axis, -1)
  found = jnp.argsort(-weights, axis=-1)[..., :count].astype(i32)
  return jnp.reshape(jnp.moveaxis(found, -1, 0), shape)

def laplace(key, shape=(), dtype=f32):
  """Floats of the Laplace distribution."""
  u = uniform(key, shape, dtype, -1.0 + float(limits(dtype).epsneg), 1.0)
  return sign(u) * modules_numpy().log1p(-abs(u))

def logistic(key, shape=(), dtype=f32):
  """Floats of the logistic distribution."""
  u = uniform(key, shape, dtype, limits(dtype).tiny, 1.0)
  return log(u) - modules_numpy().log1p(-u)

def cauchy(key, shape=(), dtype=f32):
  """Floats of the Cauchy distribution."""
  jnp = modules_numpy()
  u = uniform(key, shape, dtype, limits(dtype).eps, 1.0)
  return jnp.tan(jnp.asarray(3.141592653589793, dtype) * (u - 0.5))

def pareto(key, b, shape=None, dtype=f32):
  """Floats of the Pareto distribution."""
  return exp(exponential(key, shape_of(shape, b), dtype) / modules_numpy().asarray(b, dtype))

def rayleigh(key, scale, shape=None, dtype=f32):
  """Lengths of two normal floats."""
  return modules_numpy().asarray(scale, dtype) * sqrt(log(uniform(key, shape_of(shape, scale), dtype)) * -2)

def weibull_min(key, scale, concentration, shape=(), dtype=f32):
  """Floats of the Weibull distribution."""
  jnp = modules_numpy()
  return jnp.power(-jnp.log1p(-uniform(key, shape, dtype)), 1.0 / concentration) * scale

def triangular(key, left, mode, right, shape=None, dtype=f32):
  """Floats from left to right, most at the mode."""
  jnp = modules_numpy()
  shape = shape_of(shape, left, mode, right)
  low, high, top = jnp.asarray(left, dtype), jnp.asarray(right, dtype), jnp.asarray(mode, dtype)
  u = uniform(key, shape, dtype)
  rising, falling = low + sqrt(u * (high - low) * (top - low)), high - sqrt((1 - u) * (high - low) * (high - top))
  return jnp.where(u < (top - low) / (high - low), rising, falling)

def lognormal(key, sigma=1.0, shape=None, dtype=f32):
  """Powers of e with normal exponents."""
  return exp(normal(key, shape_of(shape, sigma), dtype) * modules_numpy().asarray(sigma, dtype))

def geometric(key, p, shape=None, dtype=i32):
  """How many trials it takes to succeed."""
  jnp = modules_numpy()
  u = uniform(key, shape_of(shape, p))
  u = jnp.where(u == 0, 1.0, u)
  return (jnp.floor(log(u) / jnp.log1p(-jnp.asarray(p, f32))) + 1).astype(dtype)

def rademacher(key, shape=(), dtype=i32):
  """1 or -1."""
  return (2 * bernoulli(key, 0.5, shape).astype(dtype) - 1).astype(dtype)

def maxwell(key, shape=(), dtype=f32):
  """Lengths of three normal floats."""
  x = normal(key, tuple(shape) + (3,), dtype)
  return sqrt(sum(x * x, axis=-1))

def gamma(key, a, shape=None, dtype=f32):
  """Floats of the gamma distribution (Marsaglia and Tsang), each from a key of its own."""
  return gammas(key, a, shape, dtype, False)

def loggamma(key, a, shape=None, dtype=f32):
  """Logarithms of what `gamma` gives, exact where these would vanish."""
  return gammas(key, a, shape, dtype, True)

def gammas(key, a, shape, dtype, logarithms):
  jnp = modules_numpy()
  a = jnp.broadcast_to(jnp.asarray(a, dtype), shape_of(shape, a))
  keys = split(key, a.size)
  found = [gamma_of(keys[i], x, dtype, logarithms) for i, x in enumerate(jnp.ravel(a))]
  return jnp.reshape(jnp.stack(found) if len(found) > 0 else jnp.zeros((0,), dtype), a.shape)

def gamma_of(key, alpha, dtype, logarithms):
  jnp = modules_numpy()
  boosted = alpha < 1
  wide = alpha + 1 if boosted else alpha
  third = jnp.asarray(1.0 / 3.0, dtype)
  d = wide - third
  c = third / sqrt(d)
  pair = split(key)
  key, last = pair[0], pair[1]
  for _ in range(10000):
    keys = split(key, 3)
    key, of_x = keys[0], keys[1]
    v = jnp.asarray(-1.0, dtype)
    while v <= 0:
      pair = split(of_x)
      of_x, x = pair[0], normal(pair[1], (), dtype)
      v = 1 + x * c
    square, v = x * x, (v * v) * v
    u = uniform(keys[2], (), dtype)
    if u < 1 - jnp.asarray(0.0331, dtype) * (square * square) or log(u) < square * 0.5 + d * ((1 - v) + log(v)):
      break
  if logarithms:
    found = log(d) + log(v)
    return found - exponential(last, (), dtype) * (1 / alpha) if boosted else found
  found = d * v
  return found * jnp.power(1 - uniform(last, (), dtype), 1 / alpha) if boosted else found

def chisquare(key, df, shape=None, dtype=f32):
  """Sums of `df` squares of normal floats."""
  return exp(loggamma(key, modules_numpy().asarray(df, dtype) / 2, shape, dtype)) * 2

def beta(key, a, b, shape=None, dtype=f32):
  """Floats of the beta distribution."""
  shape, pair = shape_of(shape, a, b), split(key)
  first, second = loggamma(pair[0], a, shape, dtype), loggamma(pair[1], b, shape, dtype)
  top = maximum(first, second)
  above = exp(first - top)
  return above / (above + exp(second - top))

def dirichlet(key, alpha, shape=None, dtype=f32):
  """Rows of floats that add up to 1."""
  alpha = modules_numpy().asarray(alpha, dtype)
  ahead = alpha.shape[:-1] if shape is None else tuple(shape)
  x = loggamma(key, alpha, ahead + alpha.shape[-1:], dtype)
  away = exp(x - max(x, axis=-1, keepdims=True))
  return away / sum(away, axis=-1, keepdims=True)

def t(key, df, shape=None, dtype=f32):
  """Floats of Student's distribution."""
  jnp = modules_numpy()
  shape, pair = shape_of(shape, df), split(key)
  half = jnp.asarray(df, dtype) / 2
  x = normal(pair[0], shape, dtype)
  return x * sqrt(half / gamma(pair[1], half, shape, dtype))

def poisson(key, lam, shape=None, dtype=i32):
  """How many events there are in an interval: by products below 10, else by rejection (Hörmann)."""
  jnp = modules_numpy()
  shape = shape_of(shape, lam)
  lam = jnp.broadcast_to(jnp.asarray(lam, f32), shape)
  few = lam < 10
  least, most = jnp.where(few, lam, 0.0), jnp.where(few, 1e5, lam)
  found = jnp.where(few, poisson_products(key, least, shape), poisson_rejection(key, most, shape))
  return jnp.where(lam == 0, 0, found).astype(dtype)

def poisson_products(key, lam, shape):
  jnp = modules_numpy()
  count, total = jnp.zeros(shape, i32), jnp.zeros(shape, f32)
  while jnp.any(total > -lam):
    pair = split(key)
    key = pair[0]
    count = jnp.where(total > -lam, count + 1, count)
    total = total + log(uniform(pair[1], shape))
  return count - 1

def poisson_rejection(key, lam, shape):
  jnp = modules_numpy()
  import math
  if not jnp.any(lam != 1e5):
    return jnp.zeros(shape, i32)
  b = 0.931 + 2.53 * sqrt(lam)
  a = -0.059 + 0.02483 * b
  inverse, certain = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
  found, done = jnp.full(shape, -1.0, f32), jnp.zeros(shape, i1)
  while not jnp.all(done):
    keys = split(key, 3)
    key = keys[0]
    u, v = uniform(keys[1], shape) - 0.5, uniform(keys[2], shape)
    us = 0.5 - abs(u)
    k = jnp.floor((2 * a / us + b) * u + lam + 0.43)
    weight = jnp.reshape(jnp.asarray([math.lgamma(float(x) + 1) if x >= 0 else 0.0 for x in jnp.ravel(k)], f32), shape)
    near = log(v * inverse / (a / (us * us) + b)) <= -lam + k * log(lam) - weight
    accept = ((us >= 0.07) & (v <= certain)) | (~((k < 0) | ((us < 0.013) & (v > us))) & near)
    found, done = jnp.where(accept, k, found), done | accept
  return found.astype(i32)

def left_out(name, instead):
  raise NotImplementedError(f"`jax.random.{name}` is not here: {instead}")

def binomial(key, n, p, shape=None, dtype=f32):
  left_out("binomial", "`np.random.default_rng(seed).binomial(n, p, size)` gives NumPy's")

def multivariate_normal(key, mean, cov, shape=None, dtype=f32, method="cholesky"):
  """Vectors of normal floats around `mean`, with the covariances of one matrix `cov`; by its Cholesky factor."""
  import jax.numpy as jnp
  from numpy import linalg
  mean, cov = jnp.asarray(mean, dtype), jnp.asarray(cov, dtype)
  if method != "cholesky" or cov.ndim > 2:
    raise NotImplementedError("one covariance matrix by its Cholesky factor is what is here; otherwise write `mean + jax.random.normal(key, (n, d)) @ factor.T` with factor @ factor.T the covariance")
  if mean.ndim < 1:
    raise ValueError("multivariate_normal requires mean.ndim >= 1, got mean.ndim == 0")
  n = mean.shape[-1]
  if cov.shape != (n, n):
    raise ValueError(f"multivariate_normal requires cov.shape == (..., n, n) for n={n}, but got cov.shape == {cov.shape}.")
  shape = mean.shape[:-1] if shape is None else tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
  if jnp.broadcast_shapes(shape, mean.shape[:-1]) != shape:
    raise ValueError(f"the shape {shape} is not one that means of shape {mean.shape} spread to")
  return mean + jnp.einsum("...j,ij->...i", normal(key, shape + (n,), dtype), linalg.cholesky(cov))
