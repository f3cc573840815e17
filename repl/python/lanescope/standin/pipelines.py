"""`plgpu.emit_pipeline`, `emit_pipeline_warp_specialized` and loops over grids: the native functions, with bodies that
Python calls."""

from .. import _native
from . import tree
from .arrays import is_traced
from .control import Trees
from .specs import BlockSpec


def _leaves(specs):
    """The leaves of a tree of specs, in order."""
    return tree.flatten(tuple(specs) if isinstance(specs, (tuple, list)) else (specs,), is_leaf=lambda x: isinstance(x, BlockSpec))


def _in_global_memory(spec):
    return str(spec.memory_space) in ("gmem", "GMEM")


class _Operands:
    """The specs of inputs and outputs, and the references of a pipeline's call. The native functions do not see arrays
    that stay in global memory; the body gets the blocks of these arrays directly."""

    def __init__(self, in_specs, out_specs):
        self.ins, self.in_tree = _leaves(in_specs)
        self.outs, self.out_tree = _leaves(out_specs)
        self.specs = self.ins + self.outs

    def flat(self, refs):
        ins = len(self.in_tree.children())
        return self.in_tree.flatten_up_to(tuple(refs[:ins])) + self.out_tree.flatten_up_to(tuple(refs[ins:]))

    def bind(self, refs):
        """(specs of inputs, specs of outputs, references) for the native functions. Keeps the data that the body
        needs."""
        flat = self.flat(refs)
        self.whole = [spec.whole(ref.shape) for spec, ref in zip(self.specs, flat)]
        self.refs = flat
        staged = [i for i, spec in enumerate(self.whole) if not _in_global_memory(spec)]
        self.staged = staged
        ins = [i for i in staged if i < len(self.ins)]
        outs = [i for i in staged if i >= len(self.ins)]
        return ins, outs, [flat[i] for i in staged]

    def given(self, indices, blocks):
        """The references for the body, in the order of the specs: blocks in buffers, and blocks in global memory."""
        blocks = dict(zip(self.staged, blocks))
        parts = [blocks[i] if i in blocks else ref.at[spec.slices(indices)] for i, (spec, ref) in enumerate(zip(self.whole, self.refs))]
        count = len(self.ins)
        return (*self.in_tree.unflatten(parts[:count]), *self.out_tree.unflatten(parts[count:]))


def _native_specs(operands, chosen, strip):
    out = []
    for i in chosen:
        spec = operands.whole[i]
        out.append(spec.with_index((lambda index_map: lambda *_: index_map())(spec.index_map)) if strip else spec)
    return tuple(out)


def emit_pipeline(body, *, grid, in_specs=(), out_specs=(), max_concurrent_steps=1, init_carry=None):
    """A function of references that runs `body(indices, *blocks)` over a grid while the next blocks are being copied."""
    grid = tuple(n if is_traced(n) else int(n) for n in (grid if isinstance(grid, (tuple, list)) else (grid,)))
    if any(not is_traced(n) and n <= 0 for n in grid):
        raise ValueError(f"All elements in the grid must be strictly positive, but got {grid=}")
    operands = _Operands(in_specs, out_specs)
    if any(spec.pipeline_mode is not None for spec in operands.specs):
        raise NotImplementedError("pipeline_mode= is not supported: `max_concurrent_steps` says how many buffers a pipeline has")
    if any(spec.collective_axes for spec in operands.ins):
        raise NotImplementedError("BlockSpecs with collective_axes are not supported in emit_pipeline")
    if any(spec.collective_axes for spec in operands.outs):
        raise ValueError("Output BlockSpecs cannot have collective_axes")
    delays = sorted({spec.delay_release for spec in operands.ins} or {0})
    if max_concurrent_steps <= delays[0]:
        raise ValueError(
            "max_concurrent_steps must be greater than all delay_release values, "
            f"but {max_concurrent_steps=} and delay_release_levels={delays}."
        )
    carried = None if init_carry is None else Trees(init_carry, "a pipeline's body")

    def pipeline(*refs):
        ins, outs, staged = operands.bind(refs)
        strip = not grid

        def run(indices, *blocks):
            indices = () if strip else tuple(indices)
            if carried is None:
                body(indices, *operands.given(indices, blocks))
                return None
            *blocks, carry = blocks
            return carried.leaves_of(body(indices, *operands.given(indices, blocks), carried.of(carry)))

        out = _native.builtin("emit_pipeline")(
            run, grid=grid or (1,), in_specs=_native_specs(operands, ins, strip), out_specs=_native_specs(operands, outs, strip),
            max_concurrent_steps=int(max_concurrent_steps), init_carry=None if carried is None else tuple(carried.leaves),
        )(*staged)  # fmt: skip
        return None if carried is None else carried.of(out)

    return pipeline


def emit_pipeline_warp_specialized(
    body, *, grid, memory_registers, in_specs=(), out_specs=(), max_concurrent_steps=2, wg_axis, num_compute_wgs, pipeline_state=None,
    manual_ready_barriers=False, manual_consumed_barriers=False, compute_context=None, memory_thread_idx=None,
):  # fmt: skip
    """A pipeline in which the last warpgroup of `wg_axis` copies and the others compute."""
    operands = _Operands(in_specs, out_specs)
    carried = []

    def run(indices, *rest):
        rest = list(rest)
        carry = (carried[-1].of(rest.pop()),) if carried else ()
        blocks, barriers = rest[: len(operands.staged)], rest[len(operands.staged) :]
        out = body(tuple(indices), *operands.given(indices, blocks), *barriers, *carry)
        return carried[-1].leaves_of(out) if carried else None

    def context(pipeline):
        def evaluated(carry):
            carried.append(Trees(carry, "a pipeline's body"))
            try:
                return carried[-1].of(pipeline(tuple(carried[-1].leaves)))
            finally:
                carried.pop()

        compute_context(evaluated)

    def made(refs):
        ins, outs, staged = operands.bind(refs)
        return staged, _native.builtin("emit_pipeline_warp_specialized")(
            run, grid=tuple(n if is_traced(n) else int(n) for n in grid), memory_registers=memory_registers, wg_axis=wg_axis,
            num_compute_wgs=num_compute_wgs, in_specs=_native_specs(operands, ins, False), out_specs=_native_specs(operands, outs, False),
            max_concurrent_steps=max_concurrent_steps, pipeline_state=pipeline_state, manual_ready_barriers=manual_ready_barriers,
            manual_consumed_barriers=manual_consumed_barriers, compute_context=None if compute_context is None else context,
            memory_thread_idx=memory_thread_idx,
        )  # fmt: skip

    def pipeline(*refs, allocations=None):
        staged, function = made(refs)
        return function(*staged) if allocations is None else function(*staged, allocations=allocations)

    def get_allocations(*refs):
        staged, function = made(refs)
        return function.get_allocations(*staged)

    pipeline.get_allocations = get_allocations
    return pipeline


class NDLoopInfo:
    """The place of an iteration in the loop's grid."""

    def __init__(self, info, num_local_steps=None):
        self.index, self.local_index = tuple(info.index), info.local_index
        self.num_local_steps = num_local_steps


def _over(name, arguments, init_carry):
    """Defines a loop by a native one, as a Python decorator. The body takes the place, and the carry by keyword."""

    def decorate(body):
        function = _native.builtin(name)
        if init_carry is None:

            def run(info):
                body(NDLoopInfo(info))

            function(**arguments)(run)
            return None
        carried = Trees(init_carry, f"the body of `{name}`")

        def run_with(info, carry):
            return carried.leaves_of(body(NDLoopInfo(info), carry=carried.of(carry)))

        return carried.of(function(**arguments, init_carry=tuple(carried.leaves))(run_with))

    return decorate


def nd_loop(grid, *, collective_axes=(), tiling=None, init_carry=None):
    """A loop over the places of a grid. The blocks (or warpgroups) along `collective_axes` share the places."""
    arguments = {"grid": tuple(n if is_traced(n) else int(n) for n in grid), "collective_axes": collective_axes, "tiling": tiling}
    return _over("nd_loop", arguments, init_carry)


def dynamic_scheduling_loop(grid_names, *, thread_axis=None, init_carry=None):
    """A loop over the block's own place in the grid, and then over the places of blocks that have not begun
    (sm_100a)."""
    return _over("dynamic_scheduling_loop", {"grid_names": grid_names, "thread_axis": thread_axis}, init_carry)
