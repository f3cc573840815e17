"""All-gather over a ring of GPUs, written with Pallas: at the end every device has all parts. A device passes received
parts on to the next one, so all links are busy in every step.   lanescope samples/pallas/all_gather.py"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

P = jax.sharding.PartitionSpec
ROWS, COLUMNS = 64, 128


def ring(x_ref, out_ref, tile, loaded, come, *, devices):
  device = lax.axis_index("ring")
  following = lax.rem(device + 1, devices)

  def fetch(source):
    plgpu.copy_gmem_to_smem(source, tile, loaded)
    plgpu.barrier_wait(loaded)

  def send(part):
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(out_ref, following).at[part])
    plgpu.wait_smem_to_gmem(0)
    pl.semaphore_signal(come, device_id=following)
    # One signal per step, from the device before; no other device signals.
    pl.semaphore_wait(come)

  fetch(x_ref)
  plgpu.copy_smem_to_gmem(tile, out_ref.at[device])
  send(device)
  for step in range(1, devices - 1):
    part = lax.rem(device + devices - step, devices)
    fetch(out_ref.at[part])
    send(part)


def all_gather(x, devices):
  return plgpu.kernel(
      functools.partial(ring, devices=devices),
      out_type=jax.ShapeDtypeStruct((devices, ROWS, COLUMNS), x.dtype),
      scratch_types=[plgpu.SMEM((ROWS, COLUMNS), x.dtype), plgpu.Barrier(), plgpu.SemaphoreType.REGULAR],
  )(x)


for devices in (2, 4, 8):
  mesh = jax.make_mesh((devices,), ("ring",))
  x = jnp.arange(devices * ROWS * COLUMNS, dtype=jnp.float32).reshape(devices * ROWS, COLUMNS)
  gather = jax.shard_map(functools.partial(all_gather, devices=devices), mesh=mesh, in_specs=P("ring"), out_specs=P("ring"),
                         check_vma=False)
  out = np.asarray(gather(x)).reshape(devices, devices * ROWS, COLUMNS)
  for device in range(devices):
    np.testing.assert_array_equal(out[device], x)
print("all_gather: ok")
