"""A program around a kernel: jit, scan and cond, several calls, a gradient, types of several widths, the GPU's
properties."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu


def elementwise(function, *arrays, dtype=None):
  def body(*refs):
    *inputs, out = refs
    out[...] = function(*(each[...] for each in inputs)).astype(out.dtype)

  shape = arrays[0].shape
  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(shape, dtype or arrays[0].dtype))(*arrays)


@jax.custom_vjp
def square(x):
  return elementwise(lambda x: x * x, x)


square.defvjp(lambda x: (square(x), x), lambda x, g: (elementwise(lambda x, g: 2.0 * x * g, x, g),))


def scalars(x, scale, shift):
  def body(x, scale, shift, out):
    out[...] = x[...] * scale[0] + shift[0]

  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype))(x, scale, shift)


@jax.jit
def whole(x):
  x, _ = lax.scan(lambda x, _: (elementwise(lambda x: x * 0.5, x) + 1.0, None), x, None, length=3)
  return lax.cond(x[0, 0] > 0, square, lambda x: -square(x), x)


def main():
  x = jnp.arange(128 * 64, dtype=jnp.float32).reshape(128, 64) / 1024
  want = np.asarray(x)
  for _ in range(3):
    want = want * 0.5 + 1
  np.testing.assert_allclose(whole(x), want * want, rtol=1e-6)
  np.testing.assert_allclose(jax.grad(lambda x: square(x).sum())(x), 2 * np.asarray(x), rtol=1e-6)
  np.testing.assert_allclose(scalars(x, jnp.array([3.0]), jnp.array([-1.0])), np.asarray(x) * 3 - 1, rtol=1e-6)
  for dtype in (jnp.float16, jnp.bfloat16, jnp.int16, jnp.int32, jnp.uint32):
    y = (jnp.arange(128 * 64).reshape(128, 64) % 50).astype(dtype)
    np.testing.assert_array_equal(np.asarray(elementwise(lambda y: y + y, y), np.float32), 2 * np.asarray(y, np.float32))
  assert jax.devices()[0].core_count >= 100 and "NVIDIA" in jax.devices()[0].device_kind
  print("program: ok")


if __name__ == "__main__":
  main()
