"""Kernels in Lane semantics. JAX has no layout inference for them, and passes each thread's code on."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

LANE = plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane)


def matmul(a, b):
  (m, k), n = a.shape, b.shape[1]
  ts = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))

  def body(a_ref, b_ref, o_ref, a_smem, b_smem, o_smem, bar):
    rows = pl.ds(lax.axis_index("m") * 64, 64)
    plgpu.copy_gmem_to_smem(a_ref.at[rows], a_smem, bar)
    plgpu.copy_gmem_to_smem(b_ref, b_smem, bar)
    plgpu.barrier_wait(bar)

    def product(acc):
      plgpu.wgmma(acc, a_smem, b_smem)
      return acc[...]

    out = pl.run_scoped(product, plgpu.ACC((64, n), jnp.float32))
    o_smem[...] = (out * jnp.exp(-out * out)).astype(o_smem.dtype)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_ref.at[rows])
    plgpu.wait_smem_to_gmem(0)

  smem = lambda *shape: plgpu.SMEM(shape, a.dtype, transforms=ts)
  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((m, n), a.dtype), grid=(m // 64,), grid_names=("m",),
                      scratch_types=[smem(64, k), smem(k, n), smem(64, n), plgpu.Barrier(num_arrivals=2)], compiler_params=LANE)(a, b)


def sums(x):
  layout = plgpu.Layout.WG_STRIDED((x.shape[0],), vec_size=2)

  def body(x_ref, o_ref):
    v = plgpu.load(x_ref, layout=layout, optimized=False)
    o_ref[...] = v / lax.broadcast_in_dim(jnp.sum(v), v.shape, ())

  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), compiler_params=LANE)(x)


def main():
  rng = np.random.default_rng(0)
  a, b = (rng.integers(-2, 3, shape).astype(np.float16) / 8 for shape in ((128, 64), (64, 128)))
  want = a.astype(np.float64) @ b.astype(np.float64)
  np.testing.assert_allclose(np.asarray(matmul(jnp.asarray(a), jnp.asarray(b)), np.float64), want * np.exp(-want * want), rtol=2e-3, atol=1e-4)
  x = rng.uniform(1, 2, 512).astype(np.float32)
  np.testing.assert_allclose(sums(jnp.asarray(x)), x / x.sum(), rtol=1e-5)
  print("lane_semantics: ok")


if __name__ == "__main__":
  main()
