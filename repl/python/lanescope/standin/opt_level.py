"""`jax.experimental.mosaic`"""

import enum

from . import missing

__getattr__ = missing("jax.experimental.mosaic")


class OptLevel(enum.Enum):
    """The optimisation level of a TPU's compiler. It has no effect, because no such compiler runs here."""

    O0 = 0
    O1 = 1
    O2 = 2
    O3 = 3
