"""`jax.scipy.special`"""

from . import MESSAGE, jnp, missing, nn
from .lax import erf, erfc  # noqa: F401
from .lax import lgamma as gammaln  # noqa: F401
from .nn import log_softmax, softmax  # noqa: F401

__getattr__ = missing("jax.scipy.special")
expit = nn.sigmoid


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    if b is not None or return_sign:
        raise NotImplementedError(f"`logsumexp` with `b` or `return_sign` is {MESSAGE}")
    return nn.logsumexp(a, axis=axis, keepdims=keepdims)


def logit(x):
    return jnp.log(x / (1 - x))


def xlogy(x, y):
    return jnp.where(x == 0, 0.0, x * jnp.log(jnp.where(x == 0, 1.0, y)))


def xlog1py(x, y):
    return jnp.where(x == 0, 0.0, x * jnp.log1p(jnp.where(x == 0, 1.0, y)))


def entr(x):
    return -xlogy(x, x)


def rel_entr(p, q):
    return xlogy(p, p) - xlogy(p, q)


