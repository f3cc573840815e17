"""Pallas's own Blackwell matmul with one block and with two, with tiles that blocks steal; and its ragged matmul."""
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.gpu import blackwell_matmul_mgpu as blackwell
from jax.experimental.pallas.ops.gpu import blackwell_ragged_dot_mgpu as ragged


def numbers(shape, seed):
  return jnp.asarray(np.random.default_rng(seed).integers(-3, 4, shape), jnp.float16)


def main():
  m, n, k = 512, 256, 256
  a, b = numbers((m, k), 0), numbers((k, n), 1)
  want = np.asarray(a, np.float32) @ np.asarray(b, np.float32)
  for collective in (False, True):
    config = blackwell.TuningConfig(tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=2, collective=collective)
    np.testing.assert_allclose(np.asarray(blackwell.matmul_kernel(a, b, config), np.float32), want, rtol=1e-3)
  sizes = np.array([200, 56, 256], np.int32)
  experts = numbers((len(sizes), k, n), 2)
  config = ragged.TuningConfig(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=2, collective=True, grid_tile_width=1,
                               grid_minor_dim=blackwell.MatmulDimension.N)
  got = ragged.ragged_dot_kernel(a, experts, group_sizes=jnp.asarray(sizes), config=config)
  group = np.repeat(np.arange(len(sizes)), sizes)
  want = np.einsum("mk,mkn->mn", np.asarray(a, np.float32), np.asarray(experts, np.float32)[group])
  np.testing.assert_allclose(np.asarray(got, np.float32), want, rtol=1e-3)
  print("pallas_blackwell_matmul: ok")


if __name__ == "__main__":
  main()
