"""Bitonic sort of rows of a power of two, in shared memory; partners are found with a xor of the index.   lanescope samples/pallas/bitonic_sort.py"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

N = 128


def sort_kernel(x_ref, o_ref, smem):
  row = lax.axis_index("row")
  layout = plgpu.Layout.WG_STRIDED((N,), vec_size=1)
  idx = plgpu.broadcasted_iota(jnp.int32, (N,), 0, layout=layout)
  x = plgpu.load(x_ref.at[row], layout=layout, optimized=False)
  size = 2
  while size <= N:
    stride = size // 2
    while stride >= 1:
      smem[pl.ds(N, N)] = x
      ahead = plgpu.load(smem.at[pl.ds(N + stride, N)], layout=layout, optimized=False)
      behind = plgpu.load(smem.at[pl.ds(N - stride, N)], layout=layout, optimized=False)
      lower = jnp.equal(jnp.bitwise_and(idx, stride), 0)
      partner = jnp.where(lower, ahead, behind)
      ascending = jnp.bitwise_and(idx, size) == 0
      take_min = lower == ascending
      x = lax.select(take_min, jnp.minimum(x, partner), jnp.maximum(x, partner))
      stride //= 2
    size *= 2
  o_ref[row] = x


if __name__ == "__main__":
  x = jax.random.permutation(jax.random.key(9), jnp.arange(4 * N, dtype=jnp.float32)).reshape(4, N)
  got = plgpu.kernel(
      sort_kernel, out_type=x, grid=(4,), grid_names=("row",), scratch_types=[plgpu.SMEM((3 * N,), jnp.float32)]
  )(x)
  np.testing.assert_array_equal(got, np.sort(x, axis=-1))
  print("bitonic_sort: ok")
