"""Row sums over a cluster: each of two blocks reduces half of the columns and reads the other's sums in its shared memory.

lanescope samples/pallas/cluster_row_sums.py
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS = 64


def cluster_row_sums(x):
  m, n = x.shape
  half = n // 2

  def body(x_ref, o_ref, mine, meet, leave):
    r, c = lax.axis_index("r"), lax.axis_index("c")
    part = plgpu.load(x_ref.at[pl.ds(r * ROWS, ROWS), pl.ds(c * half, half)], layout=plgpu.Layout.WGMMA, optimized=False)
    sums = jnp.sum(part, axis=1)
    mine[...] = sums
    plgpu.barrier_arrive(meet)
    plgpu.barrier_wait(meet)
    theirs = plgpu.load(plgpu.cluster_ref(mine, {"c": 1 - c}), layout=plgpu.Layout.WGMMA.reduce(1), optimized=False)
    o_ref[c, pl.ds(r * ROWS, ROWS)] = sums + theirs
    plgpu.barrier_arrive(leave)
    plgpu.barrier_wait(leave)

  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, m), jnp.float32),
                      scratch_types=[plgpu.SMEM((ROWS,), jnp.float32), plgpu.ClusterBarrier(collective_axes=("c",)),
                                     plgpu.ClusterBarrier(collective_axes=("c",))],
                      grid=(m // ROWS,), grid_names=("r",), cluster=(2,), cluster_names=("c",))(x)


if __name__ == "__main__":
  x = jnp.asarray(np.random.default_rng(4).integers(-8, 9, (128, 128)), jnp.float32)
  out = cluster_row_sums(x)
  np.testing.assert_array_equal(out[0], out[1])
  np.testing.assert_array_equal(out[0], x.sum(axis=-1))
  print("cluster_row_sums: ok")
