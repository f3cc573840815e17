"""Pallas's own ragged matmul: the rows of one matrix form groups, and each group has its own matrix."""
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu


def main():
  m, k, n, sizes = 256, 128, 256, np.array([100, 28, 128], np.int32)
  rng = np.random.default_rng(0)
  lhs = jnp.asarray(rng.integers(-3, 4, (m, k)), jnp.float16)
  rhs = jnp.asarray(rng.integers(-3, 4, (len(sizes), k, n)), jnp.float16)
  got = ragged_dot_mgpu.ragged_dot(lhs, rhs, group_sizes=jnp.asarray(sizes), block_m=64, block_n=64, block_k=64,
                                   max_concurrent_steps=2, grid_block_n=2)
  group = np.repeat(np.arange(len(sizes)), sizes)
  want = np.einsum("mk,mkn->mn", np.asarray(lhs, np.float32), np.asarray(rhs, np.float32)[group])
  np.testing.assert_allclose(np.asarray(got, np.float32), want, rtol=1e-2)
  print("pallas_ragged_dot: ok")


if __name__ == "__main__":
  main()
