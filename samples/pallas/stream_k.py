"""Stream-K: a fixed number of blocks share all steps of all tiles; adding copies join the parts of a tile.

lanescope samples/pallas/stream_k.py
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TM = TN = TK = 64
WORKERS = 3


def stream_k(a, b):
  m, k = a.shape
  n = b.shape[1]
  tiles_n, k_steps = n // TN, k // TK
  total = (m // TM) * tiles_n * k_steps
  ts = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  out_ts = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))

  def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, bar):
    w = lax.axis_index("worker")
    begin, end = lax.div(w * total, WORKERS), lax.div((w + 1) * total, WORKERS)

    def cond(state):
      return state < end

    def one_tile(step):
      tile = lax.div(step, k_steps)
      last = jnp.minimum((tile + 1) * k_steps, end)
      mi, ni = lax.div(tile, tiles_n), lax.rem(tile, tiles_n)

      def mm(acc):
        def inner(s, _):
          kk = lax.rem(s, k_steps)
          plgpu.copy_gmem_to_smem(a_gmem.at[pl.ds(mi * TM, TM), pl.ds(kk * TK, TK)], a_smem, bar)
          plgpu.copy_gmem_to_smem(b_gmem.at[pl.ds(kk * TK, TK), pl.ds(ni * TN, TN)], b_smem, bar)
          plgpu.barrier_wait(bar)
          plgpu.wgmma(acc, a_smem, b_smem)
          plgpu.wgmma_wait(0)
        lax.fori_loop(step, last, inner, None)
        return acc[...]

      part = pl.run_scoped(mm, plgpu.ACC((TM, TN)))
      plgpu.wait_smem_to_gmem(0, wait_read_only=True)
      o_smem[...] = part
      plgpu.commit_smem()
      plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(mi * TM, TM), pl.ds(ni * TN, TN)], reduction_op="add")
      return last

    lax.while_loop(cond, one_tile, begin)
    plgpu.wait_smem_to_gmem(0)

  out = jax.new_ref(jnp.zeros((m, n), jnp.float32))
  plgpu.kernel(
      kernel,
      out_type=(),
      scratch_types=[plgpu.SMEM((TM, TK), a.dtype, transforms=ts), plgpu.SMEM((TK, TN), b.dtype, transforms=ts),
                     plgpu.SMEM((TM, TN), jnp.float32, transforms=out_ts), plgpu.Barrier(num_arrivals=2)],
      grid=(WORKERS,),
      grid_names=("worker",),
  )(a, b, out)
  return out[...]


if __name__ == "__main__":
  rng = np.random.default_rng(3)
  a = jnp.asarray(rng.integers(-3, 4, (128, 256)), jnp.float16)
  b = jnp.asarray(rng.integers(-3, 4, (256, 128)), jnp.float16)
  out = stream_k(a, b)
  np.testing.assert_array_equal(np.asarray(out), np.asarray(a, np.float32) @ np.asarray(b, np.float32))
  print("stream_k: ok")
