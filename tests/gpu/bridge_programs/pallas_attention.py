"""Pallas' own attention: plain, causal, with grouped heads, its residuals, its gradient, and the variant on the pipeline emitter."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.gpu import attention_mgpu

SEQUENCE, HEAD = 256, 64


def arrays(heads, kv_heads):
  keys = jax.random.split(jax.random.key(42), 3)
  return [jax.random.normal(key, (1, SEQUENCE, count, HEAD), jnp.float16) for key, count in zip(keys, (heads, kv_heads, kv_heads))]


def forward(function, heads, kv_heads, causal=False):
  q, k, v = arrays(heads, kv_heads)
  config = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, causal=causal)
  out, (lse,) = function(q, k, v, config, save_residuals=True)
  want, (want_lse,) = attention_mgpu.attention_reference(q, k, v, causal=causal, save_residuals=True)
  np.testing.assert_allclose(np.asarray(out, np.float32), np.asarray(want, np.float32), atol=4e-3, rtol=4e-3)
  np.testing.assert_allclose(lse, want_lse, atol=4e-3, rtol=2e-3)


def backward():
  config = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, block_q_dkv=64, block_kv_dkv=64,
                                       block_q_dq=64, block_kv_dq=64)
  inputs = arrays(2, 2)
  got = jax.grad(lambda *x: attention_mgpu.attention(*x, config).astype(jnp.float32).sum(), argnums=(0, 1, 2))(*inputs)
  want = jax.grad(lambda *x: attention_mgpu.attention_reference(*x).astype(jnp.float32).sum(), argnums=(0, 1, 2))(*inputs)
  for a, b in zip(got, want):
    np.testing.assert_allclose(np.asarray(a, np.float32), np.asarray(b, np.float32), atol=7e-2)


def main():
  forward(attention_mgpu.attention, 2, 2)
  forward(attention_mgpu.attention, 4, 2)
  forward(attention_mgpu.attention, 2, 2, causal=True)
  forward(attention_mgpu.attention_with_pipeline_emitter, 2, 2)
  backward()
  print("pallas_attention: ok")


if __name__ == "__main__":
  main()
