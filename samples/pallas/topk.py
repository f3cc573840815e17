"""Top-k of rows: k rounds of maximum and its first index; taken elements are masked out.   lanescope samples/pallas/topk.py"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

NEG_INF = float("-inf")


def top_k(x, k: int):
  m, n = x.shape
  bm = 64

  def kernel(x_ref, values_ref, indices_ref):
    rows = pl.ds(lax.axis_index("m") * bm, bm)
    scores = plgpu.load(x_ref.at[rows], layout=plgpu.Layout.WGMMA, optimized=False)
    col = plgpu.broadcasted_iota(jnp.int32, (bm, n), 1, layout=plgpu.Layout.WGMMA)
    spread = lambda v: lax.broadcast_in_dim(v, (bm, n), (0,))
    for i in range(k):
      best = jnp.max(scores, axis=1)
      where = jnp.min(jnp.where(scores == spread(best), col, n), axis=1)
      values_ref[i, rows] = best
      indices_ref[i, rows] = where
      scores = jnp.where(col == spread(where), NEG_INF, scores)

  values, indices = plgpu.kernel(
      kernel,
      out_type=[jax.ShapeDtypeStruct((k, m), jnp.float32), jax.ShapeDtypeStruct((k, m), jnp.int32)],
      grid=(m // bm,),
      grid_names=("m",),
  )(x)
  return values.T, indices.T


def main():
  x = jax.random.normal(jax.random.key(0), (128, 64))
  values, indices = top_k(x, 4)
  order = jnp.argsort(-x, axis=1)[:, :4]
  np.testing.assert_array_equal(indices, order)
  np.testing.assert_array_equal(values, jnp.take_along_axis(x, order, axis=1))
  want_v, want_i = jax.lax.top_k(x, 4)
  np.testing.assert_array_equal(indices, want_i)
  assert jnp.all(values[:, 0] == x.max(axis=1)) and (indices[:, 0] == jnp.argmax(x, axis=1)).all()
  print("topk: ok")


if __name__ == "__main__":
  main()
