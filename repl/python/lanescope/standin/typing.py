"""`jax.typing`: names of types, for annotations."""

from typing import Any

from . import missing
from .arrays import Array  # noqa: F401

__getattr__ = missing("jax.typing")
ArrayLike = Any
DTypeLike = Any
