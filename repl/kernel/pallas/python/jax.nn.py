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

def relu6(x):
  return minimum(maximum(x, 0), 6)

def elu(x, alpha=1.0):
  import jax.numpy as jnp
  return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0.0, x)))

def hard_tanh(x):
  return minimum(maximum(x, -1.0), 1.0)

def log_sigmoid(x):
  return -softplus(-x)

def soft_sign(x):
  return x / (abs(x) + 1)

def glu(x, axis=-1):
  """The first half along an axis, times the sigmoid of the second."""
  import jax.numpy as jnp
  a, b = jnp.split(x, 2, axis)
  return a * sigmoid(b)

def standardize(x, axis=-1, epsilon=1e-5):
  import jax.numpy as jnp
  return (x - jnp.mean(x, axis=axis, keepdims=True)) / sqrt(jnp.var(x, axis=axis, keepdims=True) + epsilon)

def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False):
  """Attention of (batch, length, heads, width); heads may share keys and values."""
  import jax.numpy as jnp
  q, k, v = [jnp.asarray(x, f32) for x in (query, key, value)]
  if q.ndim == 3:
    return dot_product_attention(query[None], key[None], value[None], bias, mask, scale=scale, is_causal=is_causal)[0]
  share = q.shape[2] // k.shape[2]
  k, v = jnp.repeat(k, share, 2), jnp.repeat(v, share, 2)
  s = jnp.einsum("btnh,bsnh->bnts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
  if bias is not None:
    s = s + bias
  if is_causal:
    s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], i1)), s, -1e30)
  if mask is not None:
    s = jnp.where(mask, s, -1e30)
  return jnp.einsum("bnts,bsnh->btnh", softmax(s, -1), v).astype(query.dtype)

def selu(x):
  return 1.0507009873554805 * elu(x, 1.6732632423543772)

def celu(x, alpha=1.0):
  import jax.numpy as jnp
  return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0.0, x) / alpha))

def mish(x):
  import jax.numpy as jnp
  return x * jnp.tanh(softplus(x))

def hard_sigmoid(x):
  return relu6(x + 3.0) / 6.0

def hard_silu(x):
  return x * hard_sigmoid(x)

hard_swish = hard_silu

def squareplus(x, b=4.0):
  return 0.5 * (x + sqrt(x * x + b))

def logmeanexp(x, axis=None, keepdims=False):
  import jax.numpy as jnp
  count = jnp.size(x) / jnp.size(max(x, axis=axis))
  return logsumexp(x, axis=axis, keepdims=keepdims) - jnp.log(count)

def identity(x):
  return x
