"""Mosaic GPU without Pallas: as_gpu_kernel, an argument that the kernel changes in place, scalars."""
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jax.experimental.mosaic import gpu as mgpu
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu, memref


def body(ctx, x, scalar, out, smem):
  del ctx, smem
  value = memref.load(scalar, [])
  gpu.barrier()
  memref.store(arith.constant(ir.IntegerType.get_signless(32), 42), scalar, [])
  (mgpu.FragmentedArray.load_strided(x, is_signed=True) + value).store_untiled(out)


def main():
  x, y = jnp.arange(128, dtype=jnp.int32), jnp.asarray(2, jnp.int32)
  with mlir.make_ir_context(), ir.Location.unknown():
    kernel = mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), x, x, (), inout_shape=y)
    out, changed = kernel(x, y)
  np.testing.assert_array_equal(out, np.arange(128) + 2)
  assert int(changed) == 42 and int(y) == 2, (changed, y)
  print("direct: ok")


if __name__ == "__main__":
  main()
