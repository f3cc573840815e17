"""`jax.experimental.pallas`: names that kernels of every target use."""

import enum
import functools
import math

from .. import _native
from . import MESSAGE, grid, missing, refs, tree
from . import dtypes as dt
from .arrays import asarray, in_kernel, is_traced, on_subcore, plain_shape
from .control import loop, when  # noqa: F401
from .memory import Initial, MemoryRef, run_scoped
from .specs import (  # noqa: F401
    Blocked, BlockSpec, BoundedSlice, Buffered, Element, Indirect, Squeezed, no_block_spec, squeezed,
)  # fmt: skip
from .transforms import ShapeDtypeStruct

__getattr__ = missing("jax.experimental.pallas")


class DeviceIdType(str, enum.Enum):
    """The way to name a device: by its places along the mesh's axes, or by its number."""

    MESH = "mesh"
    LOGICAL = "logical"


class MemorySpace(enum.Enum):
    ANY = "any"
    HOST = "host"

    def __call__(self, shape, dtype):
        return MemoryRef.of(self, shape, dtype)


ANY, HOST = MemorySpace.ANY, MemorySpace.HOST


class CompilerParams:
    pass


class CostEstimate:
    """An estimate of a kernel's cost. It has no effect."""

    def __init__(self, flops=0, transcendentals=0, bytes_accessed=0, **_):
        self.flops, self.transcendentals, self.bytes_accessed = flops, transcendentals, bytes_accessed


class GridSpec:
    """The grid and the blocks of a `pallas_call`."""

    def __init__(self, grid=(), in_specs=None, out_specs=None, scratch_shapes=()):
        self.grid, self.in_specs, self.out_specs, self.scratch_shapes = grid, in_specs, out_specs, scratch_shapes


def cdiv(a, b):
    """a / b, rounded up."""
    if is_traced(a) or is_traced(b):
        return (a + b - 1) // b
    return -(-int(a) // int(b))


def align_to(x, a):
    """x, rounded up to a multiple of a."""
    return cdiv(x, a) * a


def next_power_of_2(x):
    if x < 0:
        raise ValueError("`next_power_of_2` requires a non-negative integer.")
    return 1 if x == 0 else 2 ** (x - 1).bit_length()


def strides_from_shape(shape):
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def ds(start, size=None):
    """A slice of `size` elements from `start` on. With one argument, a slice of that size from the first element on."""
    if size is None:
        start, size = 0, start
    if not in_kernel() and not is_traced(start):
        return slice(int(start), int(start) + int(size))
    return _native.builtin("ds")(start if is_traced(start) else int(start), size if is_traced(size) else int(size))


dslice = Slice = ds


def program_id(axis):
    """The place of the block, or of the step of a pipeline, along an axis of the grid."""
    around = grid.current_grid_env()
    return _native.builtin("program_id")(axis) if around is None else around[axis].index


def num_programs(axis):
    around = grid.current_grid_env()
    return _native.builtin("num_programs")(axis) if around is None else around[axis].size


def multiple_of(x, values):
    """Returns x. The caller promises that x is a multiple of the values."""
    if not is_traced(x):
        return x
    for value in values if isinstance(values, (tuple, list)) else (values,):
        x = _native.builtin("multiple_of")(x, int(value))
    return x


def reciprocal(x, *, approx=False):
    return 1 / x


def debug_print(fmt, *args):
    if in_kernel():
        _native.builtin("debug_print")(fmt, *args)
    else:
        print(fmt.format(*args))


def debug_check(condition, message):
    """Does nothing. The emulator checks memory and barriers. A program can check values on the host."""


def enable_debug_checks(enable=True):
    from .top import _Region

    return _Region()


def delay(nanos):
    """Does nothing. The option `--seed` tries other schedules."""


def broadcast_to(x, shape):
    from . import jnp

    return jnp.broadcast_to(x, shape)


def empty(shape, dtype, **_):
    from . import jnp

    return jnp.zeros(shape, dtype)


def empty_ref_like(x):
    """A mutable array with the shape, dtype and memory that `pltpu.HBM(shape, dtype)` names."""
    return refs.empty_ref(x, memory_space=getattr(x, "memory_space", None))


def select_ref(number, *references):
    """The reference with the given number, which the device chooses among several."""
    return _native.builtin("select_ref")(number, *references)


def empty_like(x, **_):
    from . import jnp

    return tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), x, is_leaf=lambda leaf: hasattr(leaf, "shape"))


def get_global(what):
    """Semaphores in global memory. All blocks share them."""
    return _native.builtin("get_global")(what)


def semaphore_signal(sem, inc=1, *, device_id=None, device_id_type=DeviceIdType.MESH, core_index=None, subcore_index=None):
    if on_subcore():
        from .shards import device_place

        options = {"device_id": device_place(device_id), "core_index": core_index, "subcore_index": subcore_index}
        options = {name: x for name, x in options.items() if x is not None}
    else:
        options = {} if device_id is None else {"device_id": device_id, "device_id_type": str(DeviceIdType(device_id_type).value)}
    return _native.builtin("semaphore_signal")(sem, inc, **options)


def semaphore_wait(sem, value=1, *, decrement=True):
    if on_subcore():
        if not decrement:
            raise NotImplementedError("Non-decrementing wait is not supported.")
        return _native.builtin("semaphore_wait")(sem, value)
    return _native.builtin("semaphore_wait")(sem, value, decrement=decrement)


def semaphore_read(sem):
    return _native.builtin("semaphore_read")(sem)


def load(ref, idx=None, *, mask=None, other=None, **_):
    """Reads a part of a reference."""
    if mask is not None:
        raise NotImplementedError("loads have no mask on this target; choose with `jnp.where` after the load")
    return ref[... if idx is None else idx]


def store(ref, idx, val, *, mask=None, **_):
    """Writes a part of a reference."""
    if mask is not None:
        raise NotImplementedError("stores have no mask on this target; store under `pl.when`")
    ref[... if idx is None else idx] = val


def with_scoped(*types, collective_axes=(), **named_types):
    """`@pl.with_scoped(plgpu.SMEM(…))` above a function. Each call allocates the function's last parameters."""

    def decorate(body):
        @functools.wraps(body)
        def call(*arguments, **options):
            def inside(*scratch, **named_scratch):
                return body(*arguments, *scratch, **options, **named_scratch)

            return run_scoped(inside, *types, collective_axes=collective_axes, **named_types)

        return call

    return decorate


def run_state(f):
    """A function of values. It puts them into references, calls `f` with these, and returns the references' final
    values."""

    def run(*inits):
        value = inits[0] if len(inits) == 1 else inits
        leaves, shape = tree.flatten(value, is_leaf=lambda x: isinstance(x, Initial))

        def called(references):
            given = shape.unflatten(references)
            return f(given) if len(inits) == 1 else f(*given)

        if not in_kernel():
            arrays = [refs.new_ref(leaf) for leaf in leaves]
            called(arrays)
            return shape.unflatten([ref[...] for ref in arrays])

        def scoped(*references):
            for ref, leaf in zip(references, leaves):
                ref[...] = leaf.value if isinstance(leaf, Initial) else leaf
            out = tree.leaves(called(references))
            # As in JAX's lowering for this target, the results of `f` replace the references' values.
            return tuple(out) if len(out) == len(references) else tuple(ref[...] for ref in references)

        found = run_scoped(scoped, *[leaf.spec if isinstance(leaf, Initial) else _register_memory(leaf) for leaf in leaves])
        return shape.unflatten(found)

    return run


def _register_memory(value):
    """Memory for a value, for the native `run_scoped`, which takes the shape and dtype from the value itself."""
    return value


def core_map(mesh, *, compiler_params=None, interpret=False, debug=False, cost_estimate=None, name=None, metadata=None,
             scratch_types=(), scratch_shapes=()):  # fmt: skip
    """`@pl.core_map(mesh)` above a function. In a kernel, each warp of a `plgpu.WarpMesh` runs it. Outside kernels, it
    is a kernel over a `plgpu.Mesh`, on the mutable arrays that it closes over."""
    if in_kernel():
        return lambda body: _native.builtin("core_map")(mesh)(lambda: _nothing(body()))
    if _of_subcores(mesh):
        from . import subcore_kernels

        return lambda body: subcore_kernels.core_map(body, mesh, compiler_params=compiler_params, name=name,
                                                     scratch_types=scratch_types or scratch_shapes)  # fmt: skip
    if not hasattr(mesh, "grid_names"):
        raise TypeError("outside of kernels, `core_map` takes a `plgpu.Mesh(grid=…, grid_names=…)`")

    def decorate(body):
        from .kernels import kernel as gpu_kernel
        from .kernels import name_of
        from .refs import Ref

        handles = refs.live()

        def whole(*references, **named):
            refs.bind(handles, references[: len(handles)])
            try:
                body(*references[len(handles) :], **named)
            finally:
                refs.bind(handles, ())

        gpu_kernel(whole, out_type=(), scratch_types=scratch_types or scratch_shapes, compiler_params=compiler_params,
                   kernel_name=name or mesh.kernel_name or name_of(body), **mesh.options())(*map(Ref, handles))  # fmt: skip

    return decorate


def _nothing(_):
    return None


def _of_subcores(mesh):
    from .subcores import SubcoreMesh

    meshes = mesh if isinstance(mesh, (tuple, list)) else (mesh,)
    return any(isinstance(each, SubcoreMesh) for each in meshes)


def kernel(body=None, out_type=(), *, mesh, scratch_types=(), compiler_params=None, interpret=False, cost_estimate=None,
           debug=False, name=None, metadata=None, out_shape=None, scratch_shapes=()):  # fmt: skip
    """A kernel over a mesh: a `plgpu.Mesh`, whose arguments `plgpu.kernel` takes, or meshes of a SparseCore's
    subcores. `body` and `mesh` may be two lists, whose functions run in parallel."""
    out_type, scratch_types = out_type if out_shape is None else out_shape, scratch_types or scratch_shapes
    if body is None:
        return lambda body: kernel(body, out_type, mesh=mesh, scratch_types=scratch_types, compiler_params=compiler_params,
                                   debug=debug, name=name)  # fmt: skip
    if _of_subcores(mesh):
        from . import subcore_kernels

        several = isinstance(mesh, (tuple, list))
        if several and len(mesh) != len(body):
            raise ValueError(f"there are {len(body)} bodies for {len(mesh)} meshes")
        return subcore_kernels.kernel(list(zip(mesh, body)) if several else [(mesh, body)], out_type, scratch_types=scratch_types,
                                      compiler_params=compiler_params, name=name, debug=debug)  # fmt: skip
    if in_kernel():  # the warps of the block that calls this kernel run the body
        return lambda *operands: _native.builtin("core_map")(mesh)(lambda: _nothing(body(*operands)))
    from .kernels import kernel as gpu_kernel

    if isinstance(mesh, (tuple, list)) or not hasattr(mesh, "grid_names"):
        raise NotImplementedError(f"`pl.kernel` over anything but one `plgpu.Mesh`, or meshes of subcores, is {MESSAGE}")
    options = {"out_type": out_type, "scratch_types": scratch_types, "compiler_params": compiler_params,
               "kernel_name": name or mesh.kernel_name, **mesh.options()}  # fmt: skip
    return gpu_kernel(body, **options)


# --- pallas_call -----------------------------------------------------------------------------------------------------


def pallas_call(kernel, out_shape=None, *, grid_spec=None, grid=(), in_specs=None, out_specs=None, scratch_shapes=(),
                compiler_params=None, name=None, interpret=False, debug=False, cost_estimate=None, input_output_aliases=None,
                backend=None, metadata=None, out_type=None):  # fmt: skip
    """A kernel over blocks. A call with arrays runs `kernel(*blocks, *output blocks, *scratch)` for each place of the
    grid. Parallel dimensions become blocks of the GPU; sequential dimensions become steps of a pipeline in each
    block."""
    if out_shape is None and out_type is None:
        raise TypeError("`pallas_call` needs `out_shape=jax.ShapeDtypeStruct(shape, dtype)`, the shape and dtype of what it gives")
    if grid_spec is not None:
        grid, scratch_shapes = grid_spec.grid, grid_spec.scratch_shapes
        in_specs, out_specs = grid_spec.in_specs, grid_spec.out_specs
    return _Call(kernel, out_shape if out_type is None else out_type, plain_shape(grid), in_specs, out_specs, scratch_shapes,
                 compiler_params, name, dict(input_output_aliases or {}))  # fmt: skip


def _is_spec(x):
    return isinstance(x, BlockSpec)


class _Call:
    def __init__(self, kernel, out_shape, grid, in_specs, out_specs, scratch, params, name, aliases):
        self.kernel, self.grid, self.scratch, self.params, self.name = kernel, grid, scratch, params, name
        self.in_specs, self.out_specs, self.out_shape = in_specs, out_specs, out_shape
        self.outs, self.out_tree = tree.flatten(out_shape, is_leaf=lambda x: hasattr(x, "shape"))
        self.sources = {output: operand for operand, output in aliases.items()}
        semantics = getattr(params, "dimension_semantics", None) or ("parallel",) * len(grid)
        if len(semantics) != len(grid):
            raise ValueError(f"dimension_semantics has {len(semantics)} entries for a grid of {len(grid)} dimensions")
        for one in semantics:
            if one not in ("parallel", "sequential", "arbitrary"):
                raise ValueError(f'a dimension is "parallel" or "sequential", not {one!r}')
        self.parallel = [one == "parallel" for one in semantics]

    def __call__(self, *operands):
        operands = [asarray(x) for x in tree.leaves(operands)]
        self._check(operands)
        specs = self._specs(self.in_specs, len(operands), "in_specs", "operands")
        specs += self._specs(self.out_specs, len(self.outs), "out_specs", "outputs")
        new = [i for i in range(len(self.outs)) if i not in self.sources]
        names = tuple(f"pallas_axis{i}" for i, side in enumerate(self.parallel) if side)

        def body(*references):
            count = len(operands)
            arrays = list(references[:count])
            arrays += [references[self.sources[i]] if i in self.sources else references[count + new.index(i)] for i in range(len(self.outs))]
            self._run(arrays, references[count + len(new) :], specs, names, count)

        from .kernels import kernel as gpu_kernel
        from .kernels import name_of

        made = gpu_kernel(
            body, out_type=tuple(ShapeDtypeStruct.like(self.outs[i]) for i in new), scratch_types=tuple(self.scratch),
            grid=tuple(n for n, side in zip(self.grid, self.parallel) if side), grid_names=names, compiler_params=self.params,
            kernel_name=self.name or name_of(self.kernel),
        )  # fmt: skip
        written = {operand: refs.new_ref(operands[operand]) for operand in self.sources.values()}
        results = made(*[written.get(i, operand) for i, operand in enumerate(operands)])
        found = [written[self.sources[i]][...] if i in self.sources else results[new.index(i)] for i in range(len(self.outs))]
        return self.out_tree.unflatten(found)

    def _specs(self, specs, count, name, what):
        given = [] if specs is None else tree.leaves(specs, is_leaf=lambda x: _is_spec(x) or x is None)
        if not given:
            return [no_block_spec] * count
        if len(given) != count:
            raise ValueError(f"there are {len(given)} {name} for {count} {what}")
        return [no_block_spec if spec is None else spec for spec in given]

    def _check(self, operands):
        for output, operand in self.sources.items():
            if operand not in range(len(operands)) or output not in range(len(self.outs)):
                raise ValueError(f"input_output_aliases={{{operand}: {output}}}: there are {len(operands)} operands and {len(self.outs)} outputs")
            given, wanted = operands[operand], self.outs[output]
            if given.shape != tuple(wanted.shape) or given.dtype != dt.dtype(wanted.dtype):
                raise ValueError(
                    f"input_output_aliases={{{operand}: {output}}}: operand {operand} is {given.dtype}{list(given.shape)}, "
                    f"output {output} is {dt.dtype(wanted.dtype)}{list(wanted.shape)}; what is written in place has one shape and dtype"
                )

    def _run(self, arrays, scratch, specs, names, count):
        from .pipelines import emit_pipeline

        places = [_native.builtin("axis_index")(name) for name in names]
        sizes = [n for n, side in zip(self.grid, self.parallel) if not side]

        def merged(steps):
            steps, sides = list(steps), list(places)
            return [sides.pop(0) if side else steps.pop(0) for side in self.parallel]

        def mapped(spec):
            if spec.index_map is None:
                return spec
            return spec.with_index(lambda *steps: spec.index_map(*merged(steps)))

        def step(indices, *blocks):
            with grid.grid_env([grid.GridAxis(i, n) for i, n in zip(merged(indices), self.grid)]):
                self.kernel(*blocks, *scratch)

        specs = [mapped(spec) for spec in specs]
        emit_pipeline(step, grid=tuple(sizes), in_specs=specs[:count], out_specs=specs[count:],
                      max_concurrent_steps=getattr(self.params, "max_concurrent_steps", 1))(*arrays)  # fmt: skip


