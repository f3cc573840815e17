"""`pltpu.emit_pipeline` on subcores. Each operand has two buffers, so that blocks are copied while the body works."""

import dataclasses
from typing import Any

from .. import _native
from . import grid as places
from . import jnp, tree
from .arrays import is_traced
from .control import fori_loop, when
from .memory import run_scoped
from .specs import Blocked, BlockSpec, BoundedSlice, Element, Indirect, Squeezed
from .subcores import GridDimensionSemantics, MemorySpace, SemaphoreType


@dataclasses.dataclass(frozen=True)
class PipelineStep:
    """A step of a pipeline: its place in the whole grid, and its number among the steps of this core."""

    index: tuple
    local_index: Any


def _dimensions(spec, ref):
    """The entries of the spec's block shape, one for each dimension of the array. A number stands for blocks of that
    size."""
    if spec.block_shape is None:
        return [Blocked(n) for n in ref.shape]
    found = []
    for each in spec.block_shape:
        each = Squeezed() if each is None else each
        found.append(each if isinstance(each, (Element, Squeezed, Blocked, BoundedSlice, Indirect)) else Blocked(int(each)))
    if len(found) != len(ref.shape):
        raise ValueError(f"the block {tuple(spec.block_shape)} has {len(found)} dimensions, and the array {len(ref.shape)}")
    return found


def _least(a, b):
    return jnp.minimum(a, b) if is_traced(a) or is_traced(b) else min(a, b)


def _most(a, b):
    return jnp.maximum(a, b) if is_traced(a) or is_traced(b) else max(a, b)


def _either(conditions):
    """True if one of the conditions holds. The result is a Python bool if all conditions are known."""
    out = False
    for each in conditions:
        if is_traced(each):
            out = each if out is False else out if out is True else out | each
        elif each:
            out = True
    return out


class Operand:
    """An array of a pipeline, with the buffer that holds one or two of the array's blocks."""

    def __init__(self, spec, ref):
        self.spec, self.ref = spec, ref
        space = spec.memory_space
        self.stays = str(space) in ("hbm", "any", "vmem_shared", "semaphore_mem", "host") or _in_place(space, ref)
        self.whole = spec.block_shape is None and spec.index_map is None
        self.space = MemorySpace.SMEM if str(space) == "smem" else MemorySpace.VMEM
        if not (self.stays and self.whole):
            self.dimensions = _dimensions(spec, ref)
            self.block = tuple(d.block_size for d in self.dimensions if not isinstance(d, Squeezed))

    def buffer(self, count):
        return self.space((count, *self.block), self.ref.dtype)

    def index(self, indices):
        """The index map's result for a step: a number, a slice or rows for each dimension."""
        if self.spec.index_map is None:
            return (0,) * len(self.dimensions)
        found = self.spec.index_map(*indices)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    def moved(self, one, other):
        """True if the blocks of two steps differ, or if an array names the rows."""
        if any(isinstance(dimension, (Indirect, BoundedSlice)) for dimension in self.dimensions):
            return True
        return _either([a != b for a, b in zip(self.index(one), self.index(other))])

    def slices(self, indices):
        """The place of a step's block: (index in the array, index in the buffer). Elements beyond the array's end
        are left out."""
        array, buffer = [], []
        ds = _native.builtin("ds")
        for dimension, place, size in zip(self.dimensions, self.index(indices), self.ref.shape):
            if isinstance(dimension, Squeezed):
                array.append(place)
                continue
            if isinstance(dimension, Indirect):
                array.append(place)
                buffer.append(slice(None))
                continue
            count = dimension.block_size
            if isinstance(dimension, BoundedSlice):
                start, taken = place.start, place.size
            elif isinstance(dimension, Element):
                start, taken = place, count
            else:
                start, taken = place * count, count
                if size % count:
                    taken = _least(count, size - start)
            array.append(ds(start, taken))
            buffer.append(ds(0, taken))
        return tuple(array), tuple(buffer)

    def copy(self, indices, buffer, sem, incoming):
        from .tpu import make_async_copy

        array, part = self.slices(indices)
        far, near = self.ref.at[array] if array else self.ref, buffer.at[part] if part else buffer
        return make_async_copy(far, near, sem) if incoming else make_async_copy(near, far, sem)

    def view(self, indices):
        """The block of the array itself, for an operand that stays in its memory."""
        return self.ref if self.whole else self.ref.at[self.slices(indices)[0]]


def _in_place(space, ref):
    """True if the array is already in the memory that the spec asks for."""
    memory = repr(ref).lstrip("<").split()[0].lower()
    return str(space) in ("vmem", "smem") and str(space) == memory


def _unravelled(step, grid):
    out = []
    for size in reversed(grid[1:]):
        out.append(step % size)
        step = step // size
    return tuple([step, *reversed(out)]) if grid else ()


def _product(grid):
    out = 1
    for size in grid:
        out = size if not is_traced(size) and not is_traced(out) and out == 1 else out * size
    return out


def _cores(axis):
    """Which core this is: (the number of cores that share a grid, this core's number)."""
    from . import lax, pallas

    if axis is None:
        return 1, 0
    count, number = 1, 0
    for each in axis if isinstance(axis, (tuple, list)) else (axis,):
        size, mine = (lax.axis_size(each), lax.axis_index(each)) if isinstance(each, str) else (pallas.num_programs(each), pallas.program_id(each))
        number = number * size + mine
        count *= size
    return count, number


def _shared(grid, semantics, count, number):
    """The part of the grid for one of several cores: (its size, the place where it begins)."""
    zeros = (0,) * len(grid)
    if count == 1:
        return grid, zeros
    if len(semantics) != len(grid):
        raise ValueError("dimension_semantics must be the same length as grid.")
    parallel = [i for i, each in enumerate(semantics) if GridDimensionSemantics(each) is GridDimensionSemantics.PARALLEL]
    if not parallel:
        raise NotImplementedError(f"Cannot partition over cores without parallel grid dimensions: dimension_semantics={semantics}")
    even = [i for i in parallel if not is_traced(grid[i]) and grid[i] % count == 0]
    chosen = even[0] if even else max((i for i in parallel if not is_traced(grid[i])), key=lambda i: grid[i], default=parallel[0])

    def with_size(sizes, size):
        return (*sizes[:chosen], size, *sizes[chosen + 1 :])

    if even:
        size = grid[chosen] // count
        return with_size(grid, size), with_size(zeros, number * size)
    size, rest = grid[chosen] // count, grid[chosen] % count
    mine = jnp.where(number < rest, size + 1, size)
    return with_size(grid, mine), with_size(zeros, number * size + _least(number, rest))


def _specs(specs):
    leaf = lambda x: isinstance(x, BlockSpec)  # noqa: E731
    return tree.flatten(tuple(specs) if isinstance(specs, (tuple, list)) else (specs,), is_leaf=leaf)


def emit_pipeline(body, *, grid, in_specs=(), out_specs=(), tiling=None, core_axis=None, core_axis_name=None,
                  dimension_semantics=None, trace_scopes=True, no_pipelining=False, _explicit_indices=False):  # fmt: skip
    """A function of references that runs `body(*blocks)` for each place of a grid. While the body runs, the next
    blocks are copied in and the last blocks out. With `core_axis_name`, the cores of an axis share the grid's
    parallel dimensions."""
    grid = tuple(n if is_traced(n) else int(n) for n in (grid if isinstance(grid, (tuple, list)) else (grid,)))
    if any(not is_traced(n) and n <= 0 for n in grid):
        raise ValueError(f"All elements in the grid must be strictly positive, but got {grid=}")
    if core_axis is not None and core_axis_name is not None:
        raise ValueError("Only one of `core_axis` or `core_axis_name` can be set.")
    semantics = dimension_semantics or (GridDimensionSemantics.ARBITRARY,) * len(grid)
    ins, in_tree = _specs(in_specs)
    outs, out_tree = _specs(out_specs)

    def pipeline(*refs, scratches=()):
        count = len(in_tree.children())
        flat = in_tree.flatten_up_to(tuple(refs[:count])) + out_tree.flatten_up_to(tuple(refs[count:]))
        operands = [Operand(spec, ref) for spec, ref in zip(ins + outs, flat)]
        mine, offsets = _shared(grid, semantics, *_cores(core_axis if core_axis is not None else core_axis_name))
        run = _Run(operands, len(ins), mine, offsets)

        def step(indices, number, blocks):
            given = (*in_tree.unflatten(blocks[: len(ins)]), *out_tree.unflatten(blocks[len(ins) :]), *scratches)
            with places.grid_env([places.GridAxis(i, n) for i, n in zip(indices, grid)]):
                body(*((PipelineStep(indices, number),) if _explicit_indices else ()), *given)

        run.all(step)

    return pipeline


class _Run:
    """One run of a pipeline. If consecutive steps have the same block, it is fetched once and stored once."""

    def __init__(self, operands, inputs, grid, offsets):
        self.operands, self.inputs, self.grid, self.offsets = operands, inputs, grid, offsets
        self.staged = [i for i, operand in enumerate(operands) if not operand.stays]
        self.total = _product(grid)

    def at(self, step):
        return tuple(i + offset if is_traced(offset) or offset else i for i, offset in zip(_unravelled(step, self.grid), self.offsets))

    def all(self, body):
        several = is_traced(self.total) or self.total > 1
        buffers = [self.operands[i].buffer(2 if several else 1) for i in self.staged]
        if not buffers:
            return self.steps(body, (), None)
        return run_scoped(lambda sems, *buffers: self.steps(body, buffers, sems), SemaphoreType.DMA((len(buffers), 2)), *buffers)

    def steps(self, body, buffers, sems):
        self.buffers, self.sems = buffers, sems
        if not is_traced(self.total) and self.total == 1:
            self.round(body, 0, (0,) * len(self.staged))
            self.drain(0, (0,) * len(self.staged))
            return
        when(self.total > 0)(lambda: self.going(body))

    def going(self, body):
        start = tuple(0 for _ in self.staged)
        for k, i in enumerate(self.staged):
            if i < self.inputs:
                self.copy(k, self.at(0), 0).start()
        slots = fori_loop(0, self.total, lambda step, slots: self.round(body, step, slots), start)
        self.drain(self.total - 1, [1 - slot if slot is not None else None for slot in slots])

    def copy(self, k, indices, slot):
        i = self.staged[k]
        return self.operands[i].copy(indices, self.buffers[k].at[slot], self.sems.at[k, slot], i < self.inputs)

    def round(self, body, step, slots):
        """Runs a step. `slots` has the number of each operand's buffer. Returns the numbers for the next step."""
        now, only = self.at(step), not is_traced(step)
        if not only:  # index maps may read memory, so they are called only for steps that exist
            before, following = self.at(_most(step - 1, 0)), self.at(_least(step + 1, self.total - 1))
        moves = []  # True for operands whose block in the next step is another one; in the last step, True for all
        for k, i in enumerate(self.staged):
            operand = self.operands[i]
            last = True if only else step == self.total - 1
            moves.append(last if only else _either([last, operand.moved(now, following)]))
            if i >= self.inputs:
                continue
            if only:
                self.copy(k, now, 0).start()
            else:
                ahead = _both(moves[k], step + 1 < self.total)
                when(ahead)(lambda k=k, slot=slots[k]: self.copy(k, following, 1 - slot).start())
            fresh = True if only else _either([step == 0, operand.moved(before, now)])
            when(fresh)(lambda k=k, slot=slots[k]: self.copy(k, now, slot).wait())
        body(now, step, self.blocks(now, slots))
        for k, i in enumerate(self.staged):
            if i < self.inputs:
                continue
            when(moves[k])(lambda k=k, slot=slots[k]: self.copy(k, now, slot).start())
            if not only:
                sent = _both(step > 0, self.operands[i].moved(before, now))
                when(sent)(lambda k=k, slot=slots[k]: self.copy(k, before, 1 - slot).wait())
        return tuple(_other(slot, moved) for slot, moved in zip(slots, moves))

    def blocks(self, now, slots):
        named = _native.builtin("named_view")
        where = {i: named(self.buffers[k].at[slots[k]], "block") for k, i in enumerate(self.staged)}
        return [where[i] if i in where else operand.view(now) for i, operand in enumerate(self.operands)]

    def drain(self, step, slots):
        """Waits for the stores that the last step has started."""
        for k, i in enumerate(self.staged):
            if i >= self.inputs:
                self.copy(k, self.at(step), slots[k]).wait()


def _both(a, b):
    if not is_traced(a):
        return b if a else False
    if not is_traced(b):
        return a if b else False
    return a & b


def _other(slot, moved):
    """The number of the buffer for the next step."""
    if not is_traced(moved):
        return 1 - slot if moved else slot
    return jnp.where(moved, 1 - slot, slot)
