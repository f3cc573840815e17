"""`jax.nn.initializers`: functions of a key, a shape and a dtype."""

from . import jnp, missing, random

__getattr__ = missing("jax.nn.initializers")


def zeros(key, shape, dtype=jnp.float32, **_):
    return jnp.zeros(shape, dtype)


def ones(key, shape, dtype=jnp.float32, **_):
    return jnp.ones(shape, dtype)


def constant(value, dtype=jnp.float32):
    return lambda key, shape, dtype=dtype: jnp.full(shape, value, dtype)


def normal(stddev=1e-2, dtype=jnp.float32):
    return lambda key, shape, dtype=dtype: random.normal(key, shape, dtype) * stddev


def uniform(scale=1e-2, dtype=jnp.float32):
    return lambda key, shape, dtype=dtype: random.uniform(key, shape, dtype) * scale
