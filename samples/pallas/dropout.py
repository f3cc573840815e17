"""Dropout with a counter-based generator: the mask is a hash of an element's number, the same lines on the host and in the kernel.

lanescope samples/pallas/dropout.py
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

N = 1024
M1, M2 = 0x7FEB352D, 0x846CA68B


def mix(x, xp):
  """lowbias32; the same lines on the host (xp = numpy) and in the kernel (xp = jax.numpy)."""
  x = x ^ (x >> xp.uint32(16))
  x = x * xp.uint32(M1)
  x = x ^ (x >> xp.uint32(15))
  x = x * xp.uint32(M2)
  return x ^ (x >> xp.uint32(16))


def dropout(x, rate, seed):
  threshold = int(rate * 2**32)
  keep_scale = 1.0 / (1.0 - rate)

  def body(x_ref, seed_ref, o_ref):
    start = lax.axis_index("i") * N
    layout = plgpu.Layout.WG_STRIDED((N,), vec_size=4)
    index = plgpu.broadcasted_iota(jnp.uint32, (N,), 0, layout=layout) + start.astype(jnp.uint32)
    bits = mix(index + seed_ref[0] * jnp.uint32(0x9E3779B9), jnp)
    x = plgpu.load(x_ref.at[pl.ds(start, N)], layout=layout, optimized=False)
    o_ref[pl.ds(start, N)] = jnp.where(bits >= jnp.uint32(threshold), x * keep_scale, 0.0)

  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(x.size // N,), grid_names=("i",))(
      x, jnp.array([seed], jnp.uint32))


def reference(x, rate, seed):
  with np.errstate(over="ignore"):
    index = np.arange(x.size, dtype=np.uint32) + np.uint32(seed) * np.uint32(0x9E3779B9)
    bits = mix(index, np)
  return np.where(bits >= np.uint32(int(rate * 2**32)), x / (1 - rate), 0).astype(x.dtype)


if __name__ == "__main__":
  x = np.linspace(1, 2, 4 * N, dtype=np.float32)
  for seed in (1, 77):
    for rate in (0.1, 0.5):
      got = np.asarray(dropout(jnp.asarray(x), rate, seed))
      np.testing.assert_allclose(got, reference(x, rate, seed), rtol=1e-6)
      dropped = np.mean(got == 0)
      assert abs(dropped - rate) < 0.03, dropped
  print("dropout: ok")
