"""The place in the grid for which a kernel's body runs: `pl.program_id` in a `pl.pallas_call`
(`jax._src.pallas.core`)."""

import contextlib
import dataclasses
from typing import Any

from . import missing

_absent = missing("jax._src.pallas.core")


def __getattr__(name):
    from . import pallas

    return getattr(pallas, name) if name in ("core_map", "BlockSpec", "MemoryRef", "MemorySpace") else _absent(name)


def _convert_out_shape_to_aval(out):
    """Returns an output unchanged, because it has a shape, a dtype and a memory space."""
    return out


@dataclasses.dataclass(frozen=True)
class GridAxis:
    """A place along an axis of a grid, and the size of the axis."""

    index: Any
    size: Any


_environments = []


@contextlib.contextmanager
def grid_env(axes):
    """Sets the results of `pl.program_id` and `pl.num_programs` inside the `with`."""
    _environments.append(tuple(axes))
    try:
        yield
    finally:
        _environments.pop()


def current_grid_env():
    return _environments[-1] if _environments else None
