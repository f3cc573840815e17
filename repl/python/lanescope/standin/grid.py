"""Where in a grid a body stands, for `pl.program_id` in a `pl.pallas_call` (`jax._src.pallas.core`)."""

import contextlib
import dataclasses
from typing import Any

from . import missing

__getattr__ = missing("jax._src.pallas.core")


@dataclasses.dataclass(frozen=True)
class GridAxis:
    """A place along an axis of a grid, and the axis' size."""

    index: Any
    size: Any


_environments = []


@contextlib.contextmanager
def grid_env(axes):
    """What `pl.program_id` and `pl.num_programs` answer inside."""
    _environments.append(tuple(axes))
    try:
        yield
    finally:
        _environments.pop()


def current_grid_env():
    return _environments[-1] if _environments else None
