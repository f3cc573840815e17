"""`jax.random`: threefry's bits and what JAX makes of them, by Lanescope's own."""

import functools

import numpy as np

from .. import _native
from . import MESSAGE, arrays
from . import dtypes as dt
from .arrays import asarray, wrapped



def _plain(x):
    """Arguments as the natives take them: shapes of ints, dtypes, arrays."""
    if isinstance(x, (tuple, list)):
        return tuple(int(n) if isinstance(n, (np.integer, arrays.Array)) and n.ndim == 0 else _plain(n) for n in x)
    if isinstance(x, np.integer):
        return int(x)
    if isinstance(x, (np.dtype, dt.SmallDtype, dt.ScalarType)) or (isinstance(x, type) and x in (int, float, bool)):
        return dt.canonicalize_dtype(x)
    return x


@functools.cache
def _function(name):
    function = getattr(_native.builtin("jax.random"), name)

    def apply(*arguments, **named):
        if name in ("uniform", "normal", "bits", "randint") and len(arguments) > 1 and isinstance(arguments[1], (int, np.integer)):
            arguments = (arguments[0], (arguments[1],), *arguments[2:])
        if isinstance(named.get("shape"), (int, np.integer)):
            named["shape"] = (named["shape"],)
        if "dtype" in named and named["dtype"] is None:
            del named["dtype"]
        arguments = tuple(map(_plain, arguments))
        named = {key: _plain(each) for key, each in named.items()}
        small = [x for x in (*arguments, *named.values()) if isinstance(x, dt.SmallDtype) and x.kind == "f" and x.bits <= 8]
        if small and name == "uniform":
            return _small_uniform(small[0], *(x for x in arguments if x is not small[0]), **{k: x for k, x in named.items() if k != "dtype"})
        if small:  # the numbers of f32, rounded
            arguments = tuple(np.dtype("float32") if x is small[0] else x for x in arguments)
            named = {key: np.dtype("float32") if x is small[0] else x for key, x in named.items()}
            return wrapped(function(*arguments, **named)).astype(small[0])
        return wrapped(function(*arguments, **named))

    apply.__name__ = apply.__qualname__ = name
    return apply


def _small_uniform(dtype, key, shape=(), minval=0.0, maxval=1.0):
    """Floats of 8 bits: as many of the random bits as the dtype has of a fraction."""
    bits = dt.finfo(dtype).nmant
    drawn = asarray(_function("bits")(key, shape, np.dtype("uint8")))
    fraction = (drawn >> (8 - bits)).astype(np.float32) * 2.0**-bits
    return (fraction * (maxval - minval) + minval).astype(dtype)


def key(seed, *, impl=None):
    return wrapped(_native.builtin("jax.random").key(int(seed)))


PRNGKey = key


def split(key, num=2):
    """`num` keys made of one; `num` may be a shape."""
    count = int(np.prod(num))
    out = wrapped(_native.builtin("jax.random").split(asarray(key), count))
    out = out if isinstance(out, arrays.Array) else asarray([np.asarray(each) for each in out])
    return out if isinstance(num, int) else out.reshape(*num, 2)


def wrap_key_data(key_bits_array, *, impl=None):
    return asarray(key_bits_array)


def shuffle(key, x, axis=0):
    return _function("permutation")(key, x, axis)


_PUBLIC = frozenset(
    "ball bernoulli beta binomial bits categorical cauchy chisquare choice clone dirichlet double_sided_maxwell exponential "
    "f fold_in gamma generalized_normal geometric gumbel key_data laplace loggamma logistic lognormal maxwell multivariate_normal "
    "normal orthogonal pareto permutation poisson rademacher randint rayleigh t triangular truncated_normal uniform wald weibull_min".split()
)


def __getattr__(name):
    if name in _PUBLIC and hasattr(_native.builtin("jax.random"), name):
        return _function(name)
    raise AttributeError(f"`jax.random.{name}`: {MESSAGE}", name=name)


def __dir__():
    return sorted({"key", "PRNGKey", "split", "wrap_key_data"} | {n for n in _PUBLIC if hasattr(_native.builtin("jax.random"), n)})
