"""SparseCore kernels: `pl.kernel` and `pl.core_map` over meshes of subcores, `mpmd_map`."""

import contextlib
import functools
import inspect
import types

from .. import _errors, _native
from . import chips, missing, refs, tree
from . import dtypes as dt
from .arrays import Array, Tracing, asarray, in_kernel, native, wrapped
from .kernels import Runs, name_of, plain_name
from .jax_words import as_jax
from .refs import Ref
from .subcores import SemaphoreType, SubcoreMesh, place_of
from .transforms import ShapeDtypeStruct

__getattr__ = missing("jax._src.pallas.mpmd")


class Semaphores(Array):
    """The semaphores that a kernel returns, as an array of their counts."""

    __slots__ = ("semaphore",)


def is_subcores(mesh):
    """True if a mesh, or each of several meshes, is a mesh of subcores."""
    meshes = mesh if isinstance(mesh, (tuple, list)) else (mesh,)
    return bool(meshes) and all(isinstance(each, SubcoreMesh) for each in meshes)


def kernel(parts, out_type=(), *, scratch_types=(), compiler_params=None, name=None, debug=False):
    """A kernel of pairs (mesh, body). The bodies run in parallel, and all take the same references."""
    return SubcoreKernel(list(parts), out_type, scratch_types, compiler_params, name, debug)


def mpmd_map(meshes_and_fns, out_types=(), *, scratch_types=(), compiler_params=None, interpret=False, debug=False,
             cost_estimate=None, name=None, metadata=None):  # fmt: skip
    """A kernel of functions that run in parallel, each on the subcores of its mesh."""
    parts = list(meshes_and_fns)
    if not parts:
        raise ValueError("At least one mesh/function pair is required")
    if not is_subcores([mesh for mesh, _ in parts]):
        raise NotImplementedError("`mpmd_map` takes meshes of a SparseCore's subcores here")
    return kernel(parts, out_types, scratch_types=scratch_types, compiler_params=compiler_params, name=name, debug=debug)


def _globals_of(code):
    """The names that the code of a function and of its inner functions looks up in the module."""
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return {*code.co_names, *(name for each in inner for name in _globals_of(each))}


def _captured_globals(function, found, seen):
    """Finds the mutable arrays among the globals that a function uses. Searches the module's functions that it
    names, too."""
    for name in _globals_of(function.__code__):
        x = function.__globals__.get(name)
        if isinstance(x, Ref) or (isinstance(x, types.FunctionType) and x.__globals__ is function.__globals__):
            _captured(x, found, seen)


def _captured(x, found, seen):
    """Finds the mutable arrays that a function closes over or uses as globals. Searches lists, dicts and functions
    among these values, too."""
    if id(x) in seen:
        return
    seen.add(id(x))
    if isinstance(x, Ref):
        found.append(x)
    elif isinstance(x, functools.partial):
        _captured([x.func, *x.args, *x.keywords.values()], found, seen)
    elif isinstance(x, (tuple, list)):
        for each in x:
            _captured(each, found, seen)
    elif isinstance(x, dict):
        _captured(list(x.values()), found, seen)
    elif isinstance(x, types.FunctionType):
        for cell in x.__closure__ or ():
            with contextlib.suppress(ValueError):  # the variable has no value yet
                _captured(cell.cell_contents, found, seen)
        _captured_globals(x, found, seen)


def _check_distinct(passed):
    """Refuses a mutable array that is passed twice. The kernel would see two memories, and the changes to one of
    them would be lost."""
    for i, one in enumerate(passed):
        if any(one is other for other in passed[:i]):
            raise NotImplementedError("Cannot pass the same ref into a mpmd map multiple times")


def _is_type(x):
    return hasattr(x, "shape") and hasattr(x, "dtype")


class SubcoreKernel:
    """The result of `pl.kernel(mesh=…)`. A call with arrays runs its bodies on references to them."""

    def __init__(self, parts, out, scratch, params, name, debug):
        for _, body in parts:
            if not callable(body):
                raise TypeError(f"the body of a kernel is a function, not {body!r}")
        if getattr(params, "dimension_semantics", None) is not None:
            raise ValueError(f"{type(parts[0][0]).__name__} does not support dimension_semantics=")
        self.parts, self.scratch, self.params, self.debug = parts, scratch, params, debug
        self.finds_captured = True  # False: all mutable arrays are among the operands already
        self.single = _is_type(out) or isinstance(out, SemaphoreType)
        outputs, self.out_tree = tree.flatten((out,) if self.single else out, is_leaf=_is_type)
        self.outputs = [x(()) if isinstance(x, SemaphoreType) else x for x in outputs]
        self.__name__ = name or name_of(parts[0][1])

    def __call__(self, *operands):
        if in_kernel():
            raise RuntimeError("a kernel cannot be called inside a kernel")
        leaves, shape = tree.flatten(operands, is_leaf=lambda x: isinstance(x, Ref))
        _check_distinct([x for x in leaves if isinstance(x, Ref)])
        around = []
        if self.finds_captured:
            _captured([body for _, body in self.parts], around, set())
        if any(x is leaf for x in around for leaf in leaves):
            raise NotImplementedError("Closed-over ref aliases with a passed-in ref is not supported.")
        arrays = [*around, *[x if isinstance(x, Ref) else asarray(x) for x in leaves]]
        made = self._native(arrays, shape, len(around))
        try:
            results = Runs.launch(made, arrays)
        except _errors.Error as problem:
            raise as_jax(problem) from None
        found = [self._result(x, type) for x, type in zip(results[len(results) - len(self.outputs) :], self.outputs)]
        out = self.out_tree.unflatten(found)
        return out[0] if self.single else out

    @staticmethod
    def _result(x, type):
        out = asarray(wrapped(x), type.dtype).reshape(type.shape)
        if not hasattr(type, "semaphore"):
            return out
        counts = Semaphores(out._values, out.dtype)
        counts.semaphore = type.semaphore
        return counts

    def _native(self, arrays, shape, around):
        """The native kernel for these operands. The bodies close over the first `around` of them."""
        scratch, scratch_tree = tree.flatten(self.scratch)
        by_name = isinstance(self.scratch, dict)
        ins, outs = len(arrays), len(self.outputs)

        axes = {axis: size for mesh, _ in self.parts for axis, size in mesh.shape.items()}

        handles = [x._handle for x in arrays[:around]]

        def traced(body):
            def call(*all_refs):
                given = shape.unflatten(list(all_refs[around:ins]))
                written = self.out_tree.unflatten(list(all_refs[ins : ins + outs]))
                rest = scratch_tree.unflatten(list(all_refs[ins + outs :]))
                written = tuple(written) if isinstance(written, (tuple, list)) else (written,)
                refs.bind(handles, all_refs[:around])
                try:
                    with Tracing(subcore=axes):
                        result = body(*given, *written, **rest) if by_name else body(*given, *written, *_as_tuple(rest))
                    if result is not None:
                        raise ValueError(f"The kernel function in mpmd_map {name_of(body)} should return None. It returns {result!r}.")
                finally:
                    refs.bind(handles, ())

            return call

        def place(x):
            return place_of(getattr(x, "memory_space", None), getattr(x, "semaphore", None))

        params = self.params
        return native("jax.experimental.pallas", "_subcore_kernel")(
            [(mesh, traced(body)) for mesh, body in self.parts],
            out_type=tuple(ShapeDtypeStruct(x.shape, dt.dtype(x.dtype)) for x in self.outputs),
            scratch=tuple(scratch), names=tuple(self._names(around, ins + outs - around, self.scratch if by_name else None)),
            places=tuple(place(x) for x in [*arrays, *self.outputs]),
            use_tc_tiling_on_sc=bool(getattr(params, "use_tc_tiling_on_sc", False)),
            needs_layout_passes=bool(getattr(params, "needs_layout_passes", True)), chip=chips.chip(), debug=bool(self.debug),
            name=plain_name(self.__name__),
        )  # fmt: skip

    def _names(self, around, arrays, scratch):
        """The names of the references, taken from the first body's parameters."""
        before = [f"captured{i}" for i in range(around)]
        try:
            parameters = list(inspect.signature(self.parts[0][1]).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        plain = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        if scratch is None:
            return before + plain
        names = [name for name in plain if name not in scratch][:arrays]
        return before + names + [f"arg{i}" for i in range(len(names), arrays)] + [name for name in sorted(scratch)]

    def lower(self, *operands):
        from .transforms import jit

        return jit(self).lower(*operands)

    def __get__(self, owner, kind=None):
        return self if owner is None else functools.partial(self, owner)

    def __repr__(self):
        return f"<kernel {self.__name__}>"


def _as_tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def core_map(body, mesh, *, compiler_params=None, name=None, scratch_types=()):
    """Runs a body over a mesh of subcores, on the mutable arrays that it closes over."""
    handles = refs.live()

    def whole(*references, **named):
        refs.bind(handles, references[: len(handles)])
        try:
            result = body(*references[len(handles) :], **named)
        finally:
            refs.bind(handles, ())
        if result is not None:
            raise ValueError("core_map-ped functions must not return any outputs.")

    made = kernel([(mesh, whole)], (), scratch_types=scratch_types, compiler_params=compiler_params,
                  name=name or name_of(body))  # fmt: skip
    made.finds_captured = False
    made(*map(Ref, handles))
