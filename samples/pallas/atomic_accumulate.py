"""Sums of columns over all rows: blocks add with atomics to references from outside.   lanescope samples/pallas/atomic_accumulate.py"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def column_sums(x):
  m, n = x.shape
  acc = jax.new_ref(jnp.zeros((n,), jnp.float32))

  @functools.partial(plgpu.kernel, out_type=(), grid=(m // 8,), grid_names=("i",))
  def add_rows(x_ref, acc_ref):
    i = lax.axis_index("i")
    layout = plgpu.Layout.WG_STRIDED((n,), vec_size=1)
    total = plgpu.layout_cast(jnp.zeros((n,), jnp.float32), layout)
    for r in range(8):
      total = total + plgpu.load(x_ref.at[i * 8 + r], layout=layout, optimized=False)
    plgpu.atomic_add(acc_ref, total)

  add_rows(x, acc)
  return acc[...]


if __name__ == "__main__":
  x = jnp.asarray(np.random.default_rng(0).integers(-5, 6, (64, 128)), jnp.float32)
  np.testing.assert_array_equal(column_sums(x), x.sum(axis=0))
  print("atomic_accumulate: ok")
