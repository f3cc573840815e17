"""core_map under run_state: the functional form with a mesh, as on Pallas's reference page.   lanescope samples/pallas/run_state_mesh.py"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def double_plus_one(x):
  mesh = plgpu.Mesh(grid=(2,), grid_names=("x",))

  @pl.run_state
  def run_kernel(refs):
    x_ref, y_ref = refs

    @pl.core_map(mesh)
    def kernel_body():
      i = lax.axis_index("x")
      half = pl.ds(i * 128, 128)
      y_ref[half] = x_ref[half] * 2 + 1

  _, y = run_kernel((x, jnp.zeros_like(x)))
  return y


if __name__ == "__main__":
  x = jnp.arange(256, dtype=jnp.float32)
  np.testing.assert_array_equal(double_plus_one(x), 2 * x + 1)
  print("run_state_mesh: ok")
