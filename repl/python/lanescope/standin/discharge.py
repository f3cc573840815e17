"""`jax._src.state.discharge`: references as values."""

from . import missing
from .pallas import run_state  # noqa: F401

__getattr__ = missing("jax._src.state.discharge")
