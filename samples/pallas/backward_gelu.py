"""A kernel's gradient as a second kernel under custom_vjp; printing from the device, regions, tuples of outputs.

lanescope samples/pallas/backward_gelu.py
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

N = 512


def _call(body, *xs, outs=1):
  struct = jax.ShapeDtypeStruct(xs[0].shape, xs[0].dtype)
  return plgpu.kernel(body, out_type=(struct,) * outs, grid=(xs[0].size // N,), grid_names=("i",))(*xs)


def _forward_body(x_ref, y_ref):
  with jax.named_scope("forward"):
    here = pl.ds(lax.axis_index("i") * N, N)
    x = x_ref[here]
    y_ref[here] = x * jax.nn.sigmoid(1.702 * x)


def _backward_body(x_ref, g_ref, dx_ref):
  here = pl.ds(lax.axis_index("i") * N, N)
  x, g = x_ref[here], g_ref[here]
  s = jax.nn.sigmoid(1.702 * x)
  dx_ref[here] = g * (s + 1.702 * x * s * (1.0 - s))


@jax.custom_vjp
def loss(x):
  (y,) = _call(_forward_body, x)
  return 0.5 * jnp.sum(y**2)


def fwd(x):
  (y,) = _call(_forward_body, x)
  return 0.5 * jnp.sum(jnp.square(y)), (x, y)


def bwd(res, g):
  x, y = res
  return _call(_backward_body, x, g * y)


loss.defvjp(fwd, bwd)

if __name__ == "__main__":
  x = jnp.linspace(-4.0, 4.0, 2 * N)
  value, dx = jax.value_and_grad(loss)(x)
  x64 = np.asarray(x, np.float64)
  f = lambda v: 0.5 * (v / (1 + np.exp(-1.702 * v))) ** 2
  numeric = (f(x64 + 1e-5) - f(x64 - 1e-5)) / 2e-5
  np.testing.assert_allclose(dx, numeric, rtol=1e-4, atol=1e-4)
  np.testing.assert_allclose(value, f(x64).sum(), rtol=1e-5)
  print("backward_gelu: ok")
