"""Pallas' own matmul of int8 and bfloat16."""
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.gpu import hopper_mixed_type_matmul_mgpu as mixed


def main():
  m, n, k = 256, 256, 256
  rng = np.random.default_rng(0)
  a = jnp.asarray(rng.integers(-5, 5, (m, k)), jnp.int8)
  b = jnp.asarray(rng.integers(-4, 4, (k, n)), jnp.bfloat16)
  for dimension in mixed.MatmulDimension:
    config = mixed.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, wg_dimension=dimension)
    got = mixed.mixed_matmul_kernel(a, b, out_dtype=jnp.bfloat16, config=config)
    want = np.asarray(a, np.float32) @ np.asarray(b, np.float32)
    np.testing.assert_allclose(np.asarray(got, np.float32), want, rtol=1e-2)
  print("pallas_mixed_matmul: ok")


if __name__ == "__main__":
  main()
