def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
  import jax
  if b is not None or return_sign:
    raise NotImplementedError("`logsumexp` takes the array, its axis and `keepdims` here")
  return jax.nn.logsumexp(a, axis=axis, keepdims=keepdims)

def expit(x):
  import jax
  return jax.nn.sigmoid(x)

def logit(x):
  import jax.numpy as jnp
  return jnp.log(x / (1 - x))

def softmax(x, axis=None):
  import jax
  return jax.nn.softmax(x, axis=axis)

def log_softmax(x, axis=None):
  import jax
  return jax.nn.log_softmax(x, axis=axis)

def erf(x):
  from jax import lax
  return lax.erf(x)

def erfc(x):
  return 1 - erf(x)

def xlogy(x, y):
  import jax.numpy as jnp
  return jnp.where(x == 0, 0.0, x * jnp.log(jnp.where(x == 0, 1.0, y)))

def entr(x):
  return -xlogy(x, x)

def rel_entr(p, q):
  return xlogy(p, p) - xlogy(p, q)
