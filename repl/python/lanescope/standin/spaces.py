"""`jax.memory`: the memory spaces of a program's arrays."""

import enum

from . import missing

__getattr__ = missing("jax.memory")


class Space(enum.Enum):
    Device = "device"
    Host = "host"
