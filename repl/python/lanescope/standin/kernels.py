"""`plgpu.kernel`: a function of arrays. Python traces its body by calling it with references."""

import functools
import json
import os
import re
import sys

from .. import _check, _native, standin
from .._errors import Error, Fault
from . import dtypes as dt
from . import shards, tree
from .arrays import Array, Tracing, asarray, in_kernel, wrapped
from .jax_words import as_jax
from .memory import MemoryRef, MemorySpace
from .refs import Ref
from .transforms import ShapeDtypeStruct

_GPU = "jax.experimental.pallas.mosaic_gpu"
_MOST_SMEM = 227 << 10  # bytes of a block, of Hopper and Blackwell


class NotGiven:
    def __repr__(self):
        return "NotGiven"


_NOT_GIVEN = NotGiven()


def _either(newer, older, names):
    given = [x for x in (newer, older) if x is not _NOT_GIVEN]
    if len(given) == 2:
        raise ValueError(f"Cannot specify both {names[1]} and {names[0]}. Use {names[0]}.")
    return given[0] if given else ()


def kernel(
    body=_NOT_GIVEN, out_shape=_NOT_GIVEN, *, out_type=_NOT_GIVEN, scratch_types=_NOT_GIVEN, scratch_shapes=_NOT_GIVEN,
    compiler_params=None, grid=(), grid_names=(), cluster=(), cluster_names=(), num_threads=None, thread_name=None, interpret=None,
    debug=False, kernel_name=None, name=None, cost_estimate=None, metadata=None,
):  # fmt: skip
    """A kernel. A call with arrays runs `body(*operands, *outputs, *scratch)` on references to them in each block of
    `grid`, and returns the outputs of `out_type`."""
    options = {"compiler_params": compiler_params, "grid": grid, "grid_names": grid_names, "cluster": cluster, "cluster_names": cluster_names,
               "num_threads": num_threads, "thread_name": thread_name}  # fmt: skip
    out = _either(out_type, out_shape, ("out_type", "out_shape"))
    scratch = _either(scratch_types, scratch_shapes, ("scratch_types", "scratch_shapes"))
    title = kernel_name or name
    if body is _NOT_GIVEN or body is None:
        return lambda body: Kernel(body, out, scratch, title, options)
    return Kernel(body, out, scratch, title, options)


def _ints(sizes):
    return tuple(int(n) for n in (sizes if isinstance(sizes, (tuple, list)) else (sizes,)))


def same_name(names):
    """The axis names as strings, which the native functions need. In JAX any object may name an axis."""
    return tuple(each if isinstance(each, str) else repr(each) for each in names)


class Runs:
    """Runs kernels, and counts calls and faults. A fault is reported, and the program continues with the results of a
    run without checks, as on a GPU. With `standin.stop` the fault is raised."""

    compile_only = 0
    calls = 0
    faults = 0

    @classmethod
    def profiled(cls, made, arrays, folder):
        """Runs a kernel and returns its outputs. Writes the run's trace to a file in the folder, for
        `chrome://tracing`."""
        out = _native.builtin("run")(made, *arrays, profile=True)
        text = _native.last_trace()
        if text is not None:
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"{cls.calls}-trace.json"), "w", encoding="utf-8") as file:
                json.dump(json.loads(text), file)
        return tuple(out.outputs)

    @classmethod
    def launch(cls, made, arrays, params=None):
        if cls.compile_only:
            former = _native.configure(device="none")
            try:
                return made(*arrays)
            finally:
                _native.configure(**former)
        cls.calls += 1
        folder = getattr(params, "profile_dir", "")
        entries = 4 * 4 * getattr(params, "profile_space", 0)  # bytes: two words for the begin and the end of a region
        if entries > _MOST_SMEM:
            raise ValueError(f"Mosaic GPU kernel exceeds available shared memory: smem_bytes={entries} > {_MOST_SMEM}, for profile_space=")
        try:
            return cls.profiled(made, arrays, folder) if folder else made(*arrays)
        except Fault as fault:
            if standin.stop or _check.under_check or shards.running:
                raise
            cls.faults += 1
            print(fault, file=sys.stderr)
        former = _native.configure(fast=True)
        try:
            return made(*arrays)
        finally:
            _native.configure(**former)


def name_of(body):
    """The name of a kernel's body. A body called `_` gets the name "kernel", because PTX has no function `_`."""
    while isinstance(body, functools.partial):
        body = body.func
    name = getattr(body, "__name__", "")
    return name if name.isidentifier() and name.strip("_") else "kernel"


def plain_name(name):
    """A name for PTX, with `_` in place of all characters but letters and digits: programs name kernels after their
    configuration."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if plain.isidentifier() and plain.strip("_") else f"kernel{plain}"


def refuse_mixed(scratch):
    """Refuses a mixture: the tcgen05 instructions of a kernel must all be for one block, or all for a pair (PTX ISA,
    "tcgen05 Instructions", `.cta_group`)."""
    kinds = {each.collective for each in scratch if isinstance(each, MemoryRef) and each.memory_space is MemorySpace.TMEM}
    if len(kinds) > 1:
        raise ValueError("Can't mix collective and non-collective TMEM allocations within the same kernel.")


class Kernel:
    """The result of `plgpu.kernel`."""

    def __init__(self, body, out, scratch, name, options):
        if not callable(body):
            raise TypeError(f"the body of a kernel is a function, not {body!r}")
        grid, names = _ints(options["grid"]), same_name(options["grid_names"])
        if len(grid) != len(names):
            raise ValueError(f"grid has {len(grid)} dimensions, and grid_names {len(names)} names")
        if (options["num_threads"] is None) != (options["thread_name"] is None):
            raise ValueError("num_threads and thread_name must be either both set or both None")
        options = options | {"grid": grid, "grid_names": names, "cluster": _ints(options["cluster"]),
                             "cluster_names": same_name(options["cluster_names"])}  # fmt: skip
        self.body, self.scratch, self.options = body, scratch, {key: x for key, x in options.items() if x is not None}
        if "compiler_params" not in self.options:
            from .mosaic_gpu import CompilerParams

            self.options["compiler_params"] = CompilerParams()
        self.single = not isinstance(out, (tuple, list))
        self.outputs, self.out_tree = tree.flatten((out,) if self.single else tuple(out), is_leaf=lambda x: hasattr(x, "shape"))
        self.out_list = isinstance(out, list)
        self.__name__ = name or name_of(body)

    def __call__(self, *operands):
        operands, shape = tree.flatten(operands, is_leaf=lambda x: isinstance(x, Ref))
        operands = [x if isinstance(x, Ref) else _operand(x) for x in operands]
        made, arrays = self._native(operands, shape)
        try:
            results = Runs.launch(made, arrays, self.options.get("compiler_params"))
        except Error as problem:
            raise as_jax(problem) from None
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        found = [asarray(wrapped(x), spec.dtype) for x, spec in zip(results[-len(self.outputs) :], self.outputs)] if self.outputs else []
        found = [x.reshape(()) if spec.shape == () else x for x, spec in zip(found, self.outputs)]
        out = self.out_tree.unflatten(found)
        return out[0] if self.single else list(out) if self.out_list else out

    def _native(self, operands, shape):
        """The native kernel for these operands, and the arguments with which it is called."""
        scratch, scratch_tree = tree.flatten(self.scratch)
        by_name = isinstance(self.scratch, dict)
        refuse_mixed(scratch)
        scalars = [i for i, x in enumerate([*operands, *self.outputs]) if tuple(x.shape) == ()]
        ins, outs = len(operands), len(self.outputs)

        def body(*refs):
            refs = [ref.at[0] if i in scalars else ref for i, ref in enumerate(refs)]
            given = shape.unflatten(refs[:ins])
            written = self.out_tree.unflatten(refs[ins : ins + outs])
            rest = scratch_tree.unflatten(refs[ins + outs :])
            with Tracing():
                self.body(*given, *written, **rest) if by_name else self.body(*given, *written, *rest)

        arrays = [x.reshape((1,)) if isinstance(x, Array) and x.shape == () else x for x in operands]
        specs = tuple(ShapeDtypeStruct(tuple(x.shape) or (1,), dt.dtype(x.dtype)) for x in self.outputs)
        function = getattr(_native.builtin(_GPU), "kernel")
        return function(body, out_type=specs, scratch_types=tuple(scratch), name=plain_name(self.__name__), **self.options), arrays

    def __get__(self, owner, kind=None):
        return self if owner is None else functools.partial(self, owner)

    def __repr__(self):
        return f"<kernel {self.__name__}>"


def _operand(x):
    if in_kernel():
        raise RuntimeError("a kernel cannot be called inside a kernel")
    return asarray(x)
