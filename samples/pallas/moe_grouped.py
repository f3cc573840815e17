"""Grouped matmul of a mixture of experts: rows are sorted by expert, and a table from the host gives each block its expert.

lanescope samples/pallas/moe_grouped.py
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TM, TN, TK = 64, 64, 64


def make_group_metadata(group_sizes, tile_m):
  """The expert and the first row of every row tile. Sizes are multiples of tile_m here."""
  experts, starts = [], []
  row = 0
  for expert, size in enumerate(group_sizes):
    for t in range(size // tile_m):
      experts.append(expert)
      starts.append(row + t * tile_m)
    row += size
  return jnp.array(experts, dtype=jnp.int32), jnp.array(starts, dtype=jnp.int32)


def ragged_dot(lhs, rhs, group_sizes):
  m, k = lhs.shape
  g, k2, n = rhs.shape
  assert k == k2 and sum(group_sizes) == m and len(group_sizes) == g
  experts, starts = make_group_metadata(group_sizes, TM)
  ts = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))

  def body(lhs_gmem, rhs_gmem, experts_gmem, starts_gmem, o_gmem, o_smem):
    t, ni = lax.axis_index("tile"), lax.axis_index("n")
    expert = experts_gmem[t]
    row = pl.multiple_of(starts_gmem[t], TM)

    def acc_scope(acc):
      plgpu.emit_pipeline(
          lambda _, a, b: plgpu.wgmma(acc, a, b),
          grid=(k // TK,),
          in_specs=[
              plgpu.BlockSpec((TM, TK), lambda ki: (lax.div(row, TM), ki), transforms=ts, delay_release=1),
              plgpu.BlockSpec((TK, TN), lambda ki: (ki, ni), transforms=ts, delay_release=1),
          ],
          max_concurrent_steps=2,
      )(lhs_gmem, rhs_gmem.at[expert])
      return acc[...]

    acc = pl.run_scoped(acc_scope, plgpu.ACC((TM, TN)))
    o_smem[...] = acc.astype(o_smem.dtype)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(row, TM), pl.ds(ni * TN, TN)])
    plgpu.wait_smem_to_gmem(0, wait_read_only=True)

  return plgpu.kernel(
      body,
      out_type=jax.ShapeDtypeStruct((m, n), lhs.dtype),
      scratch_types=dict(o_smem=plgpu.SMEM((TM, TN), lhs.dtype, transforms=ts)),
      grid=(m // TM, n // TN),
      grid_names=("tile", "n"),
  )(lhs, rhs, experts, starts)


def main():
  group_sizes = (64, 0, 128)
  m, k, n, g = sum(group_sizes), 128, 128, len(group_sizes)
  lhs = jax.random.normal(jax.random.key(0), (m, k), jnp.bfloat16)
  rhs = (jax.random.normal(jax.random.key(1), (g, k, n)) / np.sqrt(k)).astype(jnp.bfloat16)
  out = ragged_dot(lhs, rhs, group_sizes)
  expert_of_row = np.repeat(np.arange(g), group_sizes)
  want = np.stack([np.asarray(lhs[i], np.float32) @ np.asarray(rhs[e], np.float32) for i, e in enumerate(expert_of_row)])
  np.testing.assert_allclose(np.asarray(out, np.float32), want, rtol=2e-2, atol=2e-2)
  print("moe_grouped: ok")


if __name__ == "__main__":
  main()
