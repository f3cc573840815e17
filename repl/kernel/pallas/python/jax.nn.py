def sigmoid(x):
  """1 / (1 + exp(-x))"""
  return logistic(x)

def relu(x):
  return maximum(x, 0)

def silu(x):
  """x * sigmoid(x)"""
  return x * sigmoid(x)

swish = silu

def gelu(x, approximate=True):
  """The Gaussian error linear unit. `approximate` selects the form with tanh."""
  if not approximate:
    return x * (erf(x * 0.7071067811865476) + 1) * 0.5
  return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * (x * x * x))))

def leaky_relu(x, negative_slope=0.01):
  return jnp.where(x >= 0, x, negative_slope * x)

def softplus(x):
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

def relu6(x):
  return minimum(maximum(x, 0), 6)

def elu(x, alpha=1.0):
  return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0.0, x)))

def hard_tanh(x):
  return minimum(maximum(x, -1.0), 1.0)

def log_sigmoid(x):
  return -softplus(-x)

def soft_sign(x):
  return x / (abs(x) + 1)

def selu(x):
  return 1.0507009873554805 * elu(x, 1.6732632423543772)

def celu(x, alpha=1.0):
  return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0.0, x) / alpha))

def mish(x):
  return x * jnp.tanh(softplus(x))

def hard_sigmoid(x):
  return relu6(x + 3.0) / 6.0

def hard_silu(x):
  return x * hard_sigmoid(x)

hard_swish = hard_silu

def squareplus(x, b=4.0):
  return 0.5 * (x + sqrt(x * x + b))

def logmeanexp(x, axis=None, keepdims=False):
  count = x.size / max(x, axis=axis, keepdims=True).size
  return logsumexp(x, axis=axis, keepdims=keepdims) - jnp.log(count)

