"""`jax.memory`: the memories that a program's arrays may be in."""

import enum

from . import missing

__getattr__ = missing("jax.memory")


class Space(enum.Enum):
    Device = "device"
    Host = "host"
