"""`jax.nn`: activations for arrays and for a kernel's values."""

import math

from . import jnp, lax, missing
from .arrays import any_traced, asarray, in_kernels_too, native, wrapped

__getattr__ = missing("jax.nn")
_too = in_kernels_too("jax.nn")


@_too
def sigmoid(x):
    """1 / (1 + exp(-x))"""
    return lax.logistic(x)


@_too
def relu(x):
    return jnp.maximum(x, 0)


@_too
def silu(x):
    """x * sigmoid(x)"""
    return x * sigmoid(x)


swish = silu


def gelu(x, approximate=True):
    """The Gaussian error linear unit. `approximate` selects the form with tanh."""
    if any_traced((x,)):
        return wrapped(native("jax.nn", "gelu")(x, approximate=approximate))
    x = asarray(x)
    if not approximate:
        return x * (lax.erf(x * math.sqrt(0.5)) + 1) * 0.5
    return 0.5 * x * (1 + jnp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))


@_too
def leaky_relu(x, negative_slope=0.01):
    return jnp.where(x >= 0, x, negative_slope * x)


@_too
def softplus(x):
    return jnp.logaddexp(x, 0.0)


@_too
def log_sigmoid(x):
    return -softplus(-x)


@_too
def soft_sign(x):
    return x / (jnp.abs(x) + 1)


@_too
def softmax(x, axis=-1, where=None):
    away = jnp.exp(x - jnp.max(x, axis=axis, keepdims=True))
    return away / jnp.sum(away, axis=axis, keepdims=True)


@_too
def log_softmax(x, axis=-1, where=None):
    away = x - jnp.max(x, axis=axis, keepdims=True)
    return away - jnp.log(jnp.sum(jnp.exp(away), axis=axis, keepdims=True))


@_too
def logsumexp(x, axis=None, keepdims=False, **_):
    top = jnp.max(x, axis=axis, keepdims=True)
    total = jnp.log(jnp.sum(jnp.exp(x - top), axis=axis, keepdims=keepdims))
    return total + (top if keepdims else jnp.max(x, axis=axis))


@_too
def logmeanexp(x, axis=None, keepdims=False, **_):
    count = jnp.size(x) / jnp.size(jnp.max(x, axis=axis))
    return logsumexp(x, axis=axis, keepdims=keepdims) - math.log(count)


def one_hot(x, num_classes, *, dtype=jnp.float32, axis=-1):
    x = asarray(x)
    return jnp.moveaxis((jnp.expand_dims(x, -1) == jnp.arange(num_classes)).astype(dtype), -1, axis)


@_too
def relu6(x):
    return jnp.minimum(jnp.maximum(x, 0), 6)


@_too
def elu(x, alpha=1.0):
    return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0.0, x)))


@_too
def selu(x):
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


@_too
def celu(x, alpha=1.0):
    return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0.0, x) / alpha))


@_too
def mish(x):
    return x * jnp.tanh(softplus(x))


@_too
def hard_tanh(x):
    return jnp.clip(x, -1.0, 1.0)


@_too
def hard_sigmoid(x):
    return relu6(x + 3.0) / 6.0


@_too
def hard_silu(x):
    return x * hard_sigmoid(x)


hard_swish = hard_silu


@_too
def squareplus(x, b=4.0):
    return 0.5 * (x + jnp.sqrt(x * x + b))


def glu(x, axis=-1):
    """The first half along an axis times the sigmoid of the second half."""
    a, b = jnp.split(x, 2, axis)
    return a * sigmoid(b)


def identity(x):
    return x


def standardize(x, axis=-1, epsilon=1e-5, **_):
    return (x - jnp.mean(x, axis=axis, keepdims=True)) / jnp.sqrt(jnp.var(x, axis=axis, keepdims=True) + epsilon)


def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False, **_):
    """Attention over arrays of shape (batch, length, heads, width). Heads may share keys and values."""
    q, k, v = (asarray(x).astype(jnp.float32) for x in (query, key, value))
    if q.ndim == 3:
        return dot_product_attention(query[None], key[None], value[None], bias, mask, scale=scale, is_causal=is_causal)[0]
    share = q.shape[2] // k.shape[2]
    k, v = jnp.repeat(k, share, 2), jnp.repeat(v, share, 2)
    s = jnp.einsum("btnh,bsnh->bnts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        s = s + bias
    if is_causal:
        s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], bool)), s, -1e30)
    if mask is not None:
        s = jnp.where(mask, s, -1e30)
    return jnp.einsum("bnts,bsnh->btnh", softmax(s, -1), v).astype(query.dtype)
