"""RMS norm and softmax of rows, written with Pallas.   lanescope samples/pallas/rmsnorm.py"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

BM = 64


def rmsnorm_kernel(x_ref, w_ref, o_ref, *, eps):
  rows = pl.ds(lax.axis_index("rows") * BM, BM)
  x = plgpu.load(x_ref.at[rows], layout=plgpu.Layout.WGMMA, optimized=False)
  w = plgpu.load(w_ref, layout=plgpu.Layout.WGMMA.reduce(0), optimized=False)
  scale = lax.rsqrt(jnp.mean(jnp.square(x), axis=-1) + eps)
  o_ref[rows] = x * lax.broadcast_in_dim(scale, x.shape, [0]) * lax.broadcast_in_dim(w, x.shape, [1])


def softmax_kernel(x_ref, o_ref):
  rows = pl.ds(lax.axis_index("rows") * BM, BM)
  x = plgpu.load(x_ref.at[rows, :], layout=plgpu.Layout.WGMMA, optimized=False)
  away = jnp.exp(x - lax.broadcast_in_dim(x.max(axis=1), x.shape, [0]))
  o_ref[rows, :] = away / lax.broadcast_in_dim(jnp.sum(away, axis=1), x.shape, [0])


def rmsnorm(x, w, eps=1e-6):
  return plgpu.kernel(
      functools.partial(rmsnorm_kernel, eps=eps),
      out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
      grid=(x.shape[0] // BM,),
      grid_names=("rows",),
  )(x, w)


def softmax(x):
  return plgpu.kernel(softmax_kernel, out_type=x, grid=(x.shape[0] // BM,), grid_names=("rows",))(x)


if __name__ == "__main__":
  k1, k2 = jax.random.split(jax.random.key(0))
  x, w = jax.random.normal(k1, (128, 256)), jax.random.uniform(k2, (256,))
  wide = np.asarray(x, np.float64)
  want = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6) * np.asarray(w)
  np.testing.assert_allclose(rmsnorm(x, w), want, rtol=1e-5, atol=1e-5)
  np.testing.assert_allclose(softmax(x), jax.nn.softmax(x, axis=-1), rtol=1e-5)
  print("rmsnorm: ok")
