def sigmoid(x):
  """1 / (1 + exp(-x))"""
  import jax.numpy as jnp
  return jnp.logistic(x)

def relu(x):
  return maximum(x, 0)

def silu(x):
  """x * sigmoid(x)"""
  return x * sigmoid(x)

swish = silu

def gelu(x, approximate=True):
  """The Gaussian error linear unit; `approximate` takes the form with tanh."""
  if not approximate:
    return x * (erf(x * 0.7071067811865476) + 1) * 0.5
  return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * (x * x * x))))

def leaky_relu(x, negative_slope=0.01):
  import jax.numpy as jnp
  return jnp.where(x >= 0, x, negative_slope * x)

def softplus(x):
  import jax.numpy as jnp
  return jnp.logaddexp(x, 0.0)

def softmax(x, axis=-1):
  away = exp(x - max(x, axis=axis, keepdims=True))
  return away / sum(away, axis=axis, keepdims=True)

def log_softmax(x, axis=-1):
  away = x - max(x, axis=axis, keepdims=True)
  return away - log(sum(exp(away), axis=axis, keepdims=True))

def logsumexp(x, axis=None, keepdims=False):
  top = max(x, axis=axis, keepdims=True)
  total = log(sum(exp(x - top), axis=axis, keepdims=keepdims))
  return total + (top if keepdims else max(x, axis=axis))

def one_hot(x, num_classes, dtype=f32):
  import jax.numpy as jnp
  x = jnp.asarray(x)
  return (jnp.expand_dims(x, -1) == jnp.arange(num_classes)).astype(dtype)
