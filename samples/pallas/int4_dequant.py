"""Weights of 4 bits, packed two in a byte, with a scale for each group of K; unpacked in registers before the product.

lanescope samples/pallas/int4_dequant.py
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

BM = BN = 64
BK = 64


def w4a16_matmul(w4, scale, x):
  """w4: (m, k) int4, scale: (m,) f32, x: (k, n) bf16."""
  m, k = w4.shape
  n = x.shape[1]

  def kernel(w_gmem, s_gmem, x_gmem, o_gmem):
    mi, ni = lax.axis_index("m"), lax.axis_index("n")

    def with_acc(acc):
      def body(_, w_smem, x_smem):
        w = plgpu.load(w_smem, layout=plgpu.Layout.WGMMA_UPCAST_4X, optimized=False)
        w = plgpu.layout_cast(w, plgpu.Layout.WGMMA_UPCAST_2X).astype(jnp.bfloat16)
        w = plgpu.layout_cast(w, plgpu.Layout.WGMMA)
        plgpu.wgmma(acc, w, x_smem)
        plgpu.wgmma_wait(0)

      plgpu.emit_pipeline(
          body,
          grid=(k // BK,),
          in_specs=[
              plgpu.BlockSpec((BM, BK), lambda i: (mi, i),
                              transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(32))),
              plgpu.BlockSpec((BK, BN), lambda i: (i, ni),
                              transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))),
          ],
          max_concurrent_steps=2,
      )(w_gmem, x_gmem)
      return acc[...]

    acc = pl.run_scoped(with_acc, plgpu.ACC((BM, BN)))
    s = plgpu.load(s_gmem.at[pl.ds(mi * BM, BM)], layout=plgpu.Layout.WGMMA.reduce(1), optimized=False)
    o_gmem[pl.ds(mi * BM, BM), pl.ds(ni * BN, BN)] = acc * lax.broadcast_in_dim(s, (BM, BN), [0])

  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((m, n), jnp.float32),
      grid=(m // BM, n // BN),
      grid_names=("m", "n"),
  )(w4, scale, x)


if __name__ == "__main__":
  m, k, n = 128, 128, 64
  rng = np.random.default_rng(7)
  w = rng.integers(-8, 8, size=(m, k))
  scale = jnp.asarray(rng.uniform(0.5, 1.5, m), jnp.float32)
  x = jnp.asarray(rng.standard_normal((k, n)), jnp.bfloat16)
  got = w4a16_matmul(jnp.asarray(w, jnp.int4), scale, x)
  want = (np.asarray(w, np.float32) * np.asarray(scale)[:, np.newaxis]) @ np.asarray(x, np.float32)
  np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)
  print("int4_dequant: ok")
