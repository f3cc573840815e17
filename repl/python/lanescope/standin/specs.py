"""Blocks of arrays: `pl.BlockSpec` and the kinds of its dimensions."""

import dataclasses
from collections.abc import Callable
from typing import Any

from .. import _native


@dataclasses.dataclass(frozen=True)
class Element:
    """A dimension whose index counts elements, not blocks."""

    block_size: int
    padding: tuple = (0, 0)

    def __lanescope__(self):
        return {"element": int(self.block_size)}


@dataclasses.dataclass(frozen=True)
class Squeezed:
    """A dimension along which a block has one index. The block itself lacks the dimension."""


@dataclasses.dataclass(frozen=True)
class Blocked:
    """A dimension that is split into blocks of a size."""

    block_size: int


@dataclasses.dataclass(frozen=True)
class Buffered:
    """The number of buffers of one spec. Pipelines refuse it: their `max_concurrent_steps` is the number for all
    specs."""

    buffer_count: int


@dataclasses.dataclass(frozen=True)
class BoundedSlice:
    """A dimension whose index is a `pl.ds` of at most `block_size` elements."""

    block_size: int


@dataclasses.dataclass(frozen=True)
class Indirect:
    """A dimension whose index names rows: a reference to their numbers, or an array of them."""

    block_size: int


squeezed = Squeezed()


def plain_size(size):
    """A dimension of a block in the form that the native functions take."""
    if size is None or isinstance(size, Squeezed):
        return None
    if isinstance(size, Element):
        return size
    if isinstance(size, (BoundedSlice, Indirect)):
        raise NotImplementedError(f"a dimension that is {size!r} is for pipelines of a SparseCore")
    return int(size.block_size if isinstance(size, Blocked) else size)


@dataclasses.dataclass(frozen=True)
class BlockSpec:
    """The blocks of an array. `index_map(*indices)` returns the block for a place of the grid. Without a shape, the
    block is the whole array. Without a memory space, the block lies in shared memory."""

    block_shape: Any = None
    index_map: Callable | None = None
    memory_space: Any = None
    pipeline_mode: Any = None
    transforms: tuple = ()
    delay_release: int = 0
    collective_axes: tuple = ()
    oob_fill_mode: Any = None

    def __post_init__(self):
        if callable(self.block_shape) and not isinstance(self.block_shape, (tuple, list)):
            raise TypeError("`BlockSpec` takes the block's shape first, and then the index map")

    def with_index(self, index_map):
        return dataclasses.replace(self, index_map=index_map)

    replace = dataclasses.replace

    def whole(self, shape):
        """The spec with a missing shape and a missing index map filled in."""
        size = tuple(shape) if self.block_shape is None else tuple(self.block_shape)
        index_map = self.index_map or (lambda *_: (0,) * len(size))
        return dataclasses.replace(self, block_shape=size, index_map=index_map)

    def native(self):
        axes = self.collective_axes if isinstance(self.collective_axes, (tuple, list)) else (self.collective_axes,)
        fill = {} if self.oob_fill_mode is None else {"oob_fill_mode": self.oob_fill_mode.value}
        return _native.builtin("BlockSpec")(
            block_shape=tuple(map(plain_size, self.block_shape)), index_map=self.index_map, transforms=tuple(self.transforms),
            delay_release=self.delay_release, collective_axes=tuple(axes), **fill,
        )  # fmt: skip

    def __lanescope__(self):
        return self.native()

    def slices(self, indices):
        """The place of the block in the array, as an index of a reference."""
        places = self.index_map(*indices)
        places = places if isinstance(places, (tuple, list)) else (places,)
        out = []
        for size, place in zip(map(plain_size, self.block_shape), places):
            if size is None:
                out.append(place)
            elif isinstance(size, Element):
                out.append(_native.builtin("ds")(place, int(size.block_size)))
            else:
                out.append(_native.builtin("ds")(place * size, size))
        return tuple(out)


no_block_spec = BlockSpec()
