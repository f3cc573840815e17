"""8-bit floats: e4m3 times e5m2 with scales per tensor, B stored along K.   lanescope samples/pallas/fp8_matmul.py"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def quantize(x, dtype):
  amax = jnp.max(jnp.abs(x))
  scale = jnp.finfo(dtype).max.astype(jnp.float32) / amax
  return (x * scale).astype(dtype), 1.0 / scale


def fp8_matmul(a, bt, scale):
  m, k = a.shape
  n = bt.shape[0]
  tm, tn, tk = 64, 128, 128
  ts = (plgpu.TilingTransform((8, 128)), plgpu.SwizzleTransform(128))

  @functools.partial(
      plgpu.kernel,
      out_type=jax.ShapeDtypeStruct((m, n), jnp.bfloat16),
      grid=(m // tm, n // tn),
      grid_names=("m", "n"),
  )
  def run(a_gmem, bt_gmem, scale_gmem, o_gmem):
    mi, ni = lax.axis_index("m"), lax.axis_index("n")

    def scope(acc_ref):
      def step(_, a_smem, b_smem):
        plgpu.wgmma(acc_ref, a_smem, plgpu.transpose_ref(b_smem, (1, 0)))

      plgpu.emit_pipeline(
          step, grid=(k // tk,),
          in_specs=[plgpu.BlockSpec((tm, tk), lambda ki: (mi, ki), transforms=ts, delay_release=1),
                    plgpu.BlockSpec((tn, tk), lambda ki: (ni, ki), transforms=ts, delay_release=1)],
          max_concurrent_steps=3,
      )(a_gmem, bt_gmem)
      return acc_ref[...]

    acc = pl.run_scoped(scope, plgpu.ACC((tm, tn), jnp.float32))
    o_gmem[pl.ds(mi * tm, tm), pl.ds(ni * tn, tn)] = (acc * scale_gmem[0]).astype(jnp.bfloat16)

  return run(a, bt, scale)


if __name__ == "__main__":
  a = jax.random.normal(jax.random.key(0), (128, 256))
  b = jax.random.normal(jax.random.key(1), (128, 256))
  a8, sa = quantize(a, jnp.float8_e4m3fn)
  b8, sb = quantize(b, jnp.float8_e5m2)
  got = fp8_matmul(a8, b8, jnp.reshape(sa * sb, (1,)))
  want = (np.asarray(a8, np.float32) @ np.asarray(b8, np.float32).T) * float(sa) * float(sb)
  np.testing.assert_allclose(np.asarray(got, np.float32), want, rtol=2e-2, atol=2e-1)
  err = np.abs(np.asarray(got, np.float32) - np.asarray(a @ b.T)).max()
  assert err < 8, f"quantisation error {err:.3f}"
  print("fp8_matmul: ok")
