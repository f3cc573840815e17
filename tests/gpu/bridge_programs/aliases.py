"""Arrays that kernels change in place, through references; a semaphore in global memory."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


@jax.jit
def doubled_in_place(x):
  x_ref = jax.new_ref(x, memory_space=plgpu.GMEM)
  sum_ref = jax.new_ref(jnp.ones_like(x), memory_space=plgpu.GMEM)

  @pl.core_map(plgpu.Mesh(), compiler_params=plgpu.CompilerParams())
  def _():
    sum_ref[...] = sum_ref[...] + x_ref[...]
    x_ref[...] = x_ref[...] * 2.0

  return jax.freeze(x_ref), jax.freeze(sum_ref)


def handed_on(x):
  """Block 1 waits for block 0."""
  def body(x, out):
    block, semaphore = lax.axis_index("block"), pl.get_global(plgpu.SemaphoreType.REGULAR)

    @pl.when(block == 0)
    def _():
      out[...] = x[...] * 2.0
      pl.semaphore_signal(semaphore)

    @pl.when(block == 1)
    def _():
      pl.semaphore_wait(semaphore)

  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(2,), grid_names=("block",))(x)


def main():
  x = jnp.arange(128, dtype=jnp.float32)
  doubled, total = doubled_in_place(x)
  np.testing.assert_array_equal(doubled, 2 * np.arange(128))
  np.testing.assert_array_equal(total, np.arange(128) + 1)
  np.testing.assert_array_equal(x, np.arange(128))
  np.testing.assert_array_equal(jax.jit(handed_on)(x), 2 * np.arange(128))
  print("aliases: ok")


if __name__ == "__main__":
  main()
