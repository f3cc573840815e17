"""Matmul with pl.pallas_call. It copies blocks of A and B with transforms to shared memory; scratch holds the accumulator.

JAX 0.11.2 has no lowering of pl.pallas_call for Mosaic GPU; with that version, plgpu.kernel runs on a GPU.
lanescope samples/pallas/pallas_call_matmul.py
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def matmul_kernel(a_ref, b_ref, o_ref, acc_ref):
  plgpu.wgmma(acc_ref, a_ref, b_ref)
  o_ref[...] = acc_ref[...].astype(o_ref.dtype)


def matmul(a, b, tile_m=64, tile_n=64):
  m, k = a.shape
  _, n = b.shape
  bits = jnp.dtype(a.dtype).itemsize * 8
  swizzle = plgpu.find_swizzle(tile_n * bits)
  ts = (plgpu.TilingTransform((8, 8 * swizzle // bits)), plgpu.SwizzleTransform(swizzle))
  spec = functools.partial(plgpu.BlockSpec, transforms=ts)
  call = functools.partial(
      pl.pallas_call,
      out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
      grid=(m // tile_m, n // tile_n),
      in_specs=[spec((tile_m, k), lambda i, j: (i, 0)), spec((k, tile_n), lambda i, j: (0, j))],
      out_specs=plgpu.BlockSpec((tile_m, tile_n), lambda i, j: (i, j),
                                transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))),
      scratch_shapes=[plgpu.ACC((tile_m, tile_n), jnp.float32)],
      compiler_params=plgpu.CompilerParams(dimension_semantics=["parallel", "parallel"], max_concurrent_steps=1),
  )
  return call(matmul_kernel)(a, b)


if __name__ == "__main__":
  a = jax.random.uniform(jax.random.key(1), (128, 128), dtype=jnp.bfloat16)
  b = jax.random.uniform(jax.random.key(2), (128, 64), dtype=jnp.bfloat16)
  np.testing.assert_allclose(matmul(a, b), a.astype(jnp.float32) @ b.astype(jnp.float32), rtol=1e-4)
  print("pallas_call_matmul: ok")
