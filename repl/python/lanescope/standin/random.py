"""`jax.random`: the bits of threefry, and the numbers that JAX makes from them, in JAX's order. If the last
operation is a logarithm or a power, the last bit may differ from XLA's."""

import math

import numpy as np

from . import dtypes as dt
from . import jnp, lax, missing, threefry
from .arrays import asarray

__getattr__ = missing("jax.random")


def _shape(shape):
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)


def _dtype(dtype, fallback=np.float32):
    return dt.canonicalize_dtype(fallback if dtype is None else dtype)


def _is_short(dtype):
    """True for a float dtype of 8 bits or fewer."""
    return isinstance(dtype, dt.SmallDtype) and dtype.kind == "f" and dtype.bits <= 8


def key(seed, *, impl=None):
    return asarray(np.array([0, int(seed) & 0xFFFFFFFF], np.uint32))


PRNGKey = key


def split(key, num=2):
    """`num` keys made from one key. `num` may be a shape."""
    return asarray(threefry.split(key, _shape(num)))


def fold_in(key, data):
    """A new key made from a key and a number."""
    return asarray(threefry.fold_in(key, data))


def wrap_key_data(key_bits_array, *, impl=None):
    return asarray(key_bits_array)


def bits(key, shape=(), dtype=np.uint32):
    """Random bits, of 8, 16 or 32 bits each."""
    dtype = np.dtype(_dtype(dtype, np.uint32))
    if dtype.kind != "u" or dtype.itemsize > 4:
        raise ValueError(f"bits are of uint8, uint16 or uint32, not {dtype}")
    return asarray(threefry.bits(key, _shape(shape)).astype(dtype))


def uniform(key, shape=(), dtype=np.float32, minval=0.0, maxval=1.0):
    """Floats in [minval, maxval)."""
    shape, dtype = _shape(shape), _dtype(dtype)
    if _is_short(dtype):  # takes as many random bits as the dtype's fraction has
        fraction = dt.finfo(dtype).nmant
        unit = (threefry.bits(key, shape).astype(np.uint8) >> (8 - fraction)).astype(np.float32) * np.float32(2.0**-fraction)
        return asarray(unit * (maxval - minval) + minval).astype(dtype)
    return asarray(threefry.uniform(key, shape, dtype, np.asarray(minval, np.float64), np.asarray(maxval, np.float64)), dtype)


def normal(key, shape=(), dtype=np.float32):
    """Normal floats with mean 0 and standard deviation 1."""
    dtype = _dtype(dtype)
    if _is_short(dtype):
        return normal(key, shape).astype(dtype)
    return asarray(threefry.normal(key, _shape(shape), dtype), dtype)


def randint(key, shape, minval, maxval, dtype=np.int32):
    """Integers in [minval, maxval)."""
    dtype = _dtype(dtype, np.int32)
    return asarray(threefry.integers(key, _shape(shape), np.asarray(minval), np.asarray(maxval), dtype), dtype)


def shuffle(key, x, axis=0):
    return permutation(key, x, axis)


def _inverse_erf(x):
    return asarray(threefry.inverse_erf(np.asarray(x)), x.dtype)


def key_data(key):
    """The two words of a key."""
    return key


def clone(key):
    return key


def _shape_of(shape, *parameters):
    """The requested shape. If there is none, the parameters' shape."""
    return np.broadcast_shapes(*[jnp.shape(p) for p in parameters]) if shape is None else _shape(shape)


def bernoulli(key, p=0.5, shape=None):
    """Truth values that are True with probability p."""
    return uniform(key, _shape_of(shape, p)) < p


def permutation(key, x, axis=0, independent=False):
    """The ints below x, or the rows of x, in a random order."""
    rows = jnp.arange(x) if isinstance(x, (int, np.integer)) else jnp.asarray(x)
    order = rows if independent else jnp.arange(rows.shape[axis])
    rounds = math.ceil(3 * math.log(max(1, order.size)) / math.log(4294967295))
    along = axis if independent else 0
    for _ in range(rounds):
        pair = split(key)
        key = pair[0]
        order = jnp.take_along_axis(order, jnp.argsort(bits(pair[1], order.shape), axis=along), along)
    return order if independent else jnp.take(rows, order, axis)


def exponential(key, shape=(), dtype=np.float32):
    return -jnp.log1p(-uniform(key, shape, dtype))


def choice(key, a, shape=(), replace=True, p=None, axis=0):
    """A random choice among the ints below a, or among the rows of a."""
    shape = _shape(shape)
    n = a if isinstance(a, int) else a.shape[axis]
    count = 1
    for size in shape:
        count = count * size
    if p is not None and not replace:
        if count > n:
            raise ValueError(f"{count} different ones of {n} cannot be chosen")
        weights = gumbel(key, (n,)) + jnp.log(jnp.asarray(p, np.float32))
        found = jnp.reshape(jnp.argsort(-weights)[:count], shape)
    elif p is not None:
        total = jnp.cumsum(jnp.asarray(p, np.float32))
        found = jnp.searchsorted(total, total[-1] * (1 - uniform(key, shape)))
    elif replace:
        found = randint(key, shape, 0, n)
    else:
        if count > n:
            raise ValueError(f"{count} different ones of {n} cannot be chosen")
        found = jnp.reshape(permutation(key, n)[:count], shape)
    return found if isinstance(a, int) else jnp.take(a, found, axis)


def truncated_normal(key, lower, upper, shape=None, dtype=np.float32):
    """Normal floats between lower and upper."""
    shape = _shape_of(shape, lower, upper)
    low, high, root = jnp.asarray(lower, dtype), jnp.asarray(upper, dtype), jnp.asarray(1.4142135623730951, dtype)
    u = uniform(key, shape, dtype, lax.erf(low / root), lax.erf(high / root))
    inside = root * _inverse_erf(u)
    return jnp.clip(inside, jnp.nextafter(low, jnp.inf), jnp.nextafter(high, -jnp.inf))


def gumbel(key, shape=(), dtype=np.float32, mode=None):
    """Floats of the Gumbel distribution."""
    if mode is not None and mode != "low":
        raise NotImplementedError("Gumbel numbers are made with mode=\"low\" here, which is JAX's default")
    return -jnp.log(-jnp.log(uniform(key, shape, dtype, jnp.finfo(dtype).tiny, 1.0)))


def categorical(key, logits, axis=-1, shape=None, replace=True, mode=None):
    """Ints below the size of `axis`, with the probabilities softmax(logits)."""
    logits = jnp.asarray(logits)
    axis = axis - logits.ndim if axis >= 0 else axis
    batch = tuple([n for i, n in enumerate(logits.shape) if i - logits.ndim != axis])
    shape = batch if shape is None else tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    ahead = shape[:len(shape) - len(batch)]
    if np.broadcast_shapes(shape, batch) != shape:
        raise ValueError(f"the shape {shape} does not end as those of the logits without their axis, {batch}")
    if replace:
        sizes = list(shape[len(ahead):])
        sizes.insert(axis % logits.ndim, logits.shape[axis])
        return jnp.argmax(gumbel(key, ahead + tuple(sizes), logits.dtype, mode) + logits, axis=axis).astype(np.int32)
    count = 1
    for n in ahead:
        count = count * n
    if count > logits.shape[axis]:
        raise ValueError(f"{count} different ones of {logits.shape[axis]} cannot be chosen")
    weights = jnp.moveaxis(logits + gumbel(key, logits.shape, logits.dtype, mode), axis, -1)
    found = jnp.argsort(-weights, axis=-1)[..., :count].astype(np.int32)
    return jnp.reshape(jnp.moveaxis(found, -1, 0), shape)


def laplace(key, shape=(), dtype=np.float32):
    """Floats of the Laplace distribution."""
    u = uniform(key, shape, dtype, -1.0 + float(jnp.finfo(dtype).eps) / 2, 1.0)
    return jnp.sign(u) * jnp.log1p(-abs(u))


def logistic(key, shape=(), dtype=np.float32):
    """Floats of the logistic distribution."""
    u = uniform(key, shape, dtype, jnp.finfo(dtype).tiny, 1.0)
    return jnp.log(u) - jnp.log1p(-u)


def cauchy(key, shape=(), dtype=np.float32):
    """Floats of the Cauchy distribution."""
    u = uniform(key, shape, dtype, jnp.finfo(dtype).eps, 1.0)
    return jnp.tan(jnp.asarray(3.141592653589793, dtype) * (u - 0.5))


def pareto(key, b, shape=None, dtype=np.float32):
    """Floats of the Pareto distribution."""
    return jnp.exp(exponential(key, _shape_of(shape, b), dtype) / jnp.asarray(b, dtype))


def rayleigh(key, scale, shape=None, dtype=np.float32):
    """Lengths of vectors of two normal floats."""
    return jnp.asarray(scale, dtype) * jnp.sqrt(jnp.log(uniform(key, _shape_of(shape, scale), dtype)) * -2)


def weibull_min(key, scale, concentration, shape=(), dtype=np.float32):
    """Floats of the Weibull distribution."""
    return jnp.power(-jnp.log1p(-uniform(key, shape, dtype)), 1.0 / concentration) * scale


def triangular(key, left, mode, right, shape=None, dtype=np.float32):
    """Floats of the triangular distribution from left to right, with the highest density at the mode."""
    shape = _shape_of(shape, left, mode, right)
    low, high, top = jnp.asarray(left, dtype), jnp.asarray(right, dtype), jnp.asarray(mode, dtype)
    u = uniform(key, shape, dtype)
    rising, falling = low + jnp.sqrt(u * (high - low) * (top - low)), high - jnp.sqrt((1 - u) * (high - low) * (high - top))
    return jnp.where(u < (top - low) / (high - low), rising, falling)


def lognormal(key, sigma=1.0, shape=None, dtype=np.float32):
    """Powers of e with normal exponents."""
    return jnp.exp(normal(key, _shape_of(shape, sigma), dtype) * jnp.asarray(sigma, dtype))


def geometric(key, p, shape=None, dtype=np.int32):
    """The number of trials up to the first success."""
    u = uniform(key, _shape_of(shape, p))
    u = jnp.where(u == 0, 1.0, u)
    return (jnp.floor(jnp.log(u) / jnp.log1p(-jnp.asarray(p, np.float32))) + 1).astype(dtype)


def rademacher(key, shape=(), dtype=np.int32):
    """Elements that are 1 or -1 with equal probability."""
    return (2 * bernoulli(key, 0.5, shape).astype(dtype) - 1).astype(dtype)


def maxwell(key, shape=(), dtype=np.float32):
    """Lengths of vectors of three normal floats."""
    x = normal(key, _shape(shape) + (3,), dtype)
    return jnp.sqrt(jnp.sum(x * x, axis=-1))


def gamma(key, a, shape=None, dtype=np.float32):
    """Floats of the gamma distribution (Marsaglia and Tsang). Each float has its own key."""
    return _gammas(key, a, shape, dtype, False)


def loggamma(key, a, shape=None, dtype=np.float32):
    """Logarithms of `gamma`'s numbers. They are exact even if the numbers would underflow to 0."""
    return _gammas(key, a, shape, dtype, True)


def _gammas(key, a, shape, dtype, logarithms):
    a = jnp.broadcast_to(jnp.asarray(a, dtype), _shape_of(shape, a))
    keys = split(key, a.size)
    found = [_gamma_of(keys[i], x, dtype, logarithms) for i, x in enumerate(jnp.ravel(a))]
    return jnp.reshape(jnp.stack(found) if len(found) > 0 else jnp.zeros((0,), dtype), a.shape)


def _gamma_of(key, alpha, dtype, logarithms):
    boosted = alpha < 1
    wide = alpha + 1 if boosted else alpha
    third = jnp.asarray(1.0 / 3.0, dtype)
    d = wide - third
    c = third / jnp.sqrt(d)
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
        if u < 1 - jnp.asarray(0.0331, dtype) * (square * square) or jnp.log(u) < square * 0.5 + d * ((1 - v) + jnp.log(v)):
            break
    if logarithms:
        found = jnp.log(d) + jnp.log(v)
        return found - exponential(last, (), dtype) * (1 / alpha) if boosted else found
    found = d * v
    return found * jnp.power(1 - uniform(last, (), dtype), 1 / alpha) if boosted else found


def chisquare(key, df, shape=None, dtype=np.float32):
    """Sums of `df` squares of normal floats."""
    return jnp.exp(loggamma(key, jnp.asarray(df, dtype) / 2, shape, dtype)) * 2


def beta(key, a, b, shape=None, dtype=np.float32):
    """Floats of the beta distribution."""
    shape, pair = _shape_of(shape, a, b), split(key)
    first, second = loggamma(pair[0], a, shape, dtype), loggamma(pair[1], b, shape, dtype)
    top = jnp.maximum(first, second)
    above = jnp.exp(first - top)
    return above / (above + jnp.exp(second - top))


def dirichlet(key, alpha, shape=None, dtype=np.float32):
    """Rows of floats that add up to 1."""
    alpha = jnp.asarray(alpha, dtype)
    ahead = alpha.shape[:-1] if shape is None else tuple(shape)
    x = loggamma(key, alpha, ahead + alpha.shape[-1:], dtype)
    away = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    return away / jnp.sum(away, axis=-1, keepdims=True)


def t(key, df, shape=None, dtype=np.float32):
    """Floats of Student's distribution."""
    shape, pair = _shape_of(shape, df), split(key)
    half = jnp.asarray(df, dtype) / 2
    x = normal(pair[0], shape, dtype)
    return x * jnp.sqrt(half / gamma(pair[1], half, shape, dtype))


def poisson(key, lam, shape=None, dtype=np.int32):
    """The number of events in an interval. Multiplies uniform numbers for rates below 10, otherwise uses rejection
    (Hörmann)."""
    shape = _shape_of(shape, lam)
    lam = jnp.broadcast_to(jnp.asarray(lam, np.float32), shape)
    few = lam < 10
    least, most = jnp.where(few, lam, 0.0), jnp.where(few, 1e5, lam)
    found = jnp.where(few, _poisson_products(key, least, shape), _poisson_rejection(key, most, shape))
    return jnp.where(lam == 0, 0, found).astype(dtype)


def _poisson_products(key, lam, shape):
    count, total = jnp.zeros(shape, np.int32), jnp.zeros(shape, np.float32)
    while jnp.any(total > -lam):
        pair = split(key)
        key = pair[0]
        count = jnp.where(total > -lam, count + 1, count)
        total = total + jnp.log(uniform(pair[1], shape))
    return count - 1


def _poisson_rejection(key, lam, shape):
    if not jnp.any(lam != 1e5):
        return jnp.zeros(shape, np.int32)
    b = 0.931 + 2.53 * jnp.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse, certain = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    found, done = jnp.full(shape, -1.0, np.float32), jnp.zeros(shape, bool)
    while not jnp.all(done):
        keys = split(key, 3)
        key = keys[0]
        u, v = uniform(keys[1], shape) - 0.5, uniform(keys[2], shape)
        us = 0.5 - abs(u)
        k = jnp.floor((2 * a / us + b) * u + lam + 0.43)
        weight = jnp.reshape(jnp.asarray([math.lgamma(float(x) + 1) if x >= 0 else 0.0 for x in jnp.ravel(k)], np.float32), shape)
        near = jnp.log(v * inverse / (a / (us * us) + b)) <= -lam + k * jnp.log(lam) - weight
        accept = ((us >= 0.07) & (v <= certain)) | (~((k < 0) | ((us < 0.013) & (v > us))) & near)
        found, done = jnp.where(accept, k, found), done | accept
    return found.astype(np.int32)


def multivariate_normal(key, mean, cov, shape=None, dtype=np.float32, method="cholesky"):
    """Vectors of normal floats with mean `mean` and the covariance matrix `cov`, by its Cholesky factor."""
    mean, cov = jnp.asarray(mean, dtype), jnp.asarray(cov, dtype)
    if method != "cholesky" or cov.ndim > 2:
        raise NotImplementedError("one covariance matrix by its Cholesky factor is what is here; otherwise write `mean + jax.random.normal(key, (n, d)) @ factor.T` with factor @ factor.T the covariance")
    if mean.ndim < 1:
        raise ValueError("multivariate_normal requires mean.ndim >= 1, got mean.ndim == 0")
    n = mean.shape[-1]
    if cov.shape != (n, n):
        raise ValueError(f"multivariate_normal requires cov.shape == (..., n, n) for n={n}, but got cov.shape == {cov.shape}.")
    shape = mean.shape[:-1] if shape is None else tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if np.broadcast_shapes(shape, mean.shape[:-1]) != shape:
        raise ValueError(f"the shape {shape} is not one that means of shape {mean.shape} spread to")
    return mean + jnp.einsum("...j,ij->...i", normal(key, shape + (n,), dtype), asarray(np.linalg.cholesky(np.asarray(cov)), dtype))
