"""Split K: blocks write partial products to a workspace; a semaphore per tile determines the block that adds them.

lanescope samples/pallas/split_k_semaphores.py
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TM, TN, TK, SPLITS = 64, 64, 64, 4


def split_k(a, b):
  m, k = a.shape
  _, n = b.shape
  per_split = k // SPLITS
  ts = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))

  def body(a_ref, b_ref, out_ref, ws_ref, a_s, b_s, bar):
    done = pl.get_global(plgpu.SemaphoreType.REGULAR((m // TM, n // TN)))
    mi, ni, si = (lax.axis_index(ax) for ax in ("m", "n", "s"))
    rows, cols = pl.ds(mi * TM, TM), pl.ds(ni * TN, TN)

    def accumulate(acc):
      @pl.loop(0, per_split // TK)
      def _(j):
        ks = pl.ds(si * per_split + j * TK, TK)
        plgpu.copy_gmem_to_smem(a_ref.at[rows, ks], a_s, bar)
        plgpu.copy_gmem_to_smem(b_ref.at[ks, cols], b_s, bar)
        plgpu.barrier_wait(bar)
        plgpu.wgmma(acc, a_s, b_s)
        plgpu.wgmma_wait(0)
      return acc[...]

    part = pl.run_scoped(accumulate, plgpu.ACC((TM, TN), jnp.float32))
    sem = done.at[mi, ni]

    @pl.when(si != 0)
    def _():
      ws_ref[si, rows, cols] = part
      pl.semaphore_signal(sem)

    @pl.when(si == 0)
    def _():
      pl.semaphore_wait(sem, SPLITS - 1)
      total = part
      for s in range(1, SPLITS):
        total += plgpu.load(ws_ref.at[s, rows, cols], layout=plgpu.Layout.WGMMA, optimized=False)
      out_ref[rows, cols] = total

  f32 = jnp.float32
  out, _ = plgpu.kernel(
      body,
      out_type=[jax.ShapeDtypeStruct((m, n), f32), jax.ShapeDtypeStruct((SPLITS, m, n), f32)],
      scratch_types=[plgpu.SMEM((TM, TK), a.dtype, transforms=ts), plgpu.SMEM((TK, TN), b.dtype, transforms=ts),
                     plgpu.Barrier(num_arrivals=2)],
      grid=(m // TM, n // TN, SPLITS), grid_names=("m", "n", "s"),
  )(a, b)
  return out


if __name__ == "__main__":
  ka, kb = jax.random.split(jax.random.key(9))
  a = jax.random.randint(ka, (64, 512), -4, 5).astype(jnp.float16)
  b = jax.random.randint(kb, (512, 128), -4, 5).astype(jnp.float16)
  want = jnp.matmul(a, b, preferred_element_type=jnp.float32)
  np.testing.assert_array_equal(split_k(a, b), want)
  print("split_k_semaphores: ok")
