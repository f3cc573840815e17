"""`jax.experimental.mesh_utils`"""

import numpy as np

from . import devices as _devices
from . import missing

__getattr__ = missing("jax.experimental.mesh_utils")


def create_device_mesh(mesh_shape, devices=None, **_):
    """Devices in the shape of a mesh."""
    chosen = _devices.devices() if devices is None else list(devices)
    return np.array(chosen[: int(np.prod(mesh_shape))], object).reshape(mesh_shape)
