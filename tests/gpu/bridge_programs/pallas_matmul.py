"""Pallas's own Hopper matmul in several configurations: warpgroups along N or along M, clusters, an addend."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as hopper

M, N = hopper.MatmulDimension.M, hopper.MatmulDimension.N
CONFIGS = [
    dict(wg_dimension=N),
    dict(wg_dimension=M, grid_minor_dim=M, grid_tile_width=2),
    dict(wg_dimension=N, epi_tile_m=None, epi_tile_n=None),
    dict(wg_dimension=M, cluster_dimension=N),
    dict(wg_dimension=N, cluster_dimension=M),
    dict(wg_dimension=N, addend=True),
]


def main():
  m, n, k = 512, 512, 256
  rng = np.random.default_rng(0)
  a = jnp.asarray(rng.uniform(-1, 1, (m, k)), jnp.float16)
  b = jnp.asarray(rng.uniform(-1, 1, (k, n)), jnp.float16)
  c = jnp.asarray(rng.uniform(-1, 1, (m, n)), jnp.float32)
  want = np.asarray(a, np.float32) @ np.asarray(b, np.float32)
  for options in CONFIGS:
    addend = c if options.pop("addend", False) else None
    config = hopper.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, **options)
    got = jax.jit(hopper.matmul, static_argnums=3)(a, b, addend, config)
    np.testing.assert_allclose(np.asarray(got, np.float32), want if addend is None else want + c, rtol=1e-2, atol=1e-2)
  print("pallas_matmul: ok")


if __name__ == "__main__":
  main()
