"""`jax.core`"""

from . import missing
from .transforms import ShapeDtypeStruct as ShapedArray  # noqa: F401

__getattr__ = missing("jax.core")
