"""Flash attention forward with GQA: warp-specialised pipeline over K and V blocks, two compute warpgroups.

lanescope samples/pallas/flash_attention_ws.py
"""
import dataclasses
import functools
import math

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


@dataclasses.dataclass(frozen=True)
class TuningConfig:
  block_q: int
  block_kv: int
  max_concurrent_steps: int
  compute_wgs: int = 2


def attention_ws(q, k, v, config: TuningConfig):
  assert q.ndim == k.ndim == v.ndim == 4
  batch, q_len, heads, head_dim = q.shape
  _, kv_len, kv_heads, _ = k.shape
  if heads % kv_heads:
    raise ValueError("num_q_heads must be divisible by kv heads")
  group = heads // kv_heads
  bq, bkv = config.block_q, config.block_kv
  W = config.compute_wgs
  assert kv_len % bkv == 0 and q_len % (W * bq) == 0
  tiling = plgpu.TilingTransform((8, 64))
  swizzle = plgpu.SwizzleTransform(128)

  def kernel(q_ref, k_ref, v_ref, out_ref, qo_smems, q_barriers):
    b = lax.axis_index("batch")
    h = lax.axis_index("heads")
    wg = lax.axis_index("wg")
    q_base = lax.axis_index("q_seq") * (W * bq) + wg * bq

    def compute_context(pipeline):
      qo_smem = qo_smems.at[wg]
      bar = q_barriers.at[wg]
      plgpu.copy_gmem_to_smem(q_ref.at[b, pl.ds(q_base, bq), h], qo_smem, bar)
      plgpu.barrier_wait(bar)
      m_i = plgpu.layout_cast(jnp.full((bq,), -jnp.inf, jnp.float32), plgpu.Layout.WGMMA.reduce(1))
      l_i = plgpu.layout_cast(jnp.full((bq,), 0, jnp.float32), plgpu.Layout.WGMMA.reduce(1))
      acc = plgpu.layout_cast(jnp.full((bq, head_dim), 0, jnp.float32), plgpu.Layout.WGMMA)
      acc, m_i, l_i = pipeline((acc, m_i, l_i))
      acc /= lax.broadcast_in_dim(l_i, (bq, head_dim), [0])
      qo_smem[...] = acc.astype(q.dtype)
      plgpu.commit_smem()
      plgpu.copy_smem_to_gmem(qo_smem, out_ref.at[b, pl.ds(q_base, bq), h])
      plgpu.wait_smem_to_gmem(0)

    def kv_step(_, k_smem, v_smem, k_consumed, v_consumed, carry):
      acc, m_i, l_i = carry
      qo_smem = qo_smems.at[wg]

      def compute_qk(acc_ref):
        plgpu.wgmma(acc_ref, qo_smem, plgpu.transpose_ref(k_smem, (1, 0)))
        return acc_ref[...]

      qk = pl.run_scoped(compute_qk, plgpu.ACC((bq, bkv), jnp.float32))
      plgpu.barrier_arrive(k_consumed)
      log2e = math.log2(math.e)
      m_ij = jnp.maximum(m_i, qk.max(axis=1) * log2e)
      alpha = jnp.exp2(m_i - m_ij)
      m_i = m_ij
      p = jnp.exp2(qk * log2e - lax.broadcast_in_dim(m_ij, (bq, bkv), [0]))
      acc *= lax.broadcast_in_dim(alpha, (bq, head_dim), [0])
      l_i *= alpha
      p16 = p.astype(q.dtype)
      l_i += p.sum(axis=1)

      def compute_pv(acc_ref):
        plgpu.wgmma(acc_ref, p16, v_smem)

      acc = pl.run_state(compute_pv)(plgpu.ACC.init(acc))
      plgpu.barrier_arrive(v_consumed)
      return acc, m_i, l_i

    pipeline = plgpu.emit_pipeline_warp_specialized(
        kv_step,
        grid=(kv_len // bkv,),
        max_concurrent_steps=config.max_concurrent_steps,
        num_compute_wgs=W,
        memory_registers=40,
        wg_axis="wg",
        manual_consumed_barriers=True,
        compute_context=compute_context,
        in_specs=[
            plgpu.BlockSpec((bkv, head_dim), lambda i: (i, 0), transforms=[tiling, swizzle]),
            plgpu.BlockSpec((bkv, head_dim), lambda i: (i, 0), transforms=[tiling, swizzle]),
        ],
        out_specs=[],
    )
    kv_head = lax.div(h, jnp.array(group, h.dtype))
    pipeline(k_ref.at[b, :, kv_head], v_ref.at[b, :, kv_head])

  return plgpu.kernel(
      kernel,
      out_type=q,
      grid=(batch, q_len // (W * bq), heads),
      grid_names=("batch", "q_seq", "heads"),
      num_threads=W + 1,
      thread_name="wg",
      scratch_types=[
          plgpu.SMEM((W, bq, head_dim), q.dtype, transforms=(tiling, swizzle)),
          plgpu.Barrier(num_barriers=W),
      ],
      compiler_params=plgpu.CompilerParams(approx_math=True),
  )(q, k, v)


@functools.partial(jax.jit, static_argnames=())
def attention_reference(q, k, v):
  batch, q_len, heads, d = q.shape
  kv_heads = k.shape[2]
  q, k, v = map(lambda x: x.astype(jnp.float32), (q, k, v))
  q = q.reshape(batch, q_len, kv_heads, heads // kv_heads, d)
  logits = jnp.einsum("bqHhc,bkHc->bqHhk", q, k)
  probs = jax.nn.softmax(logits, axis=-1)
  return jnp.einsum("bqHhk,bkHc->bqHhc", probs, v).reshape(batch, q_len, heads, d)


def main():
  batch, q_len, kv_len, heads, kv_heads, d = 1, 128, 192, 2, 1, 64
  k1, k2, k3 = jax.random.split(jax.random.key(42), 3)
  q = jax.random.normal(k1, (batch, q_len, heads, d), jnp.float16)
  k = jax.random.normal(k2, (batch, kv_len, kv_heads, d), jnp.float16)
  v = jax.random.normal(k3, (batch, kv_len, kv_heads, d), jnp.float16)
  out = attention_ws(q, k, v, TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2))
  ref = attention_reference(q, k, v)
  np.testing.assert_allclose(out, ref, atol=2e-3, rtol=1e-2)
  print("flash_attention_ws: ok")


if __name__ == "__main__":
  main()
