"""`jax.experimental.mosaic`"""

import enum

from . import missing

__getattr__ = missing("jax.experimental.mosaic")


class OptLevel(enum.Enum):
    """How hard a TPU's compiler tries; no compiler runs here."""

    O0 = 0
    O1 = 1
    O2 = 2
    O3 = 3
