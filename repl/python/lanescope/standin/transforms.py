"""`jit`, `vmap`, gradients of `custom_vjp` functions, and the shapes of results without their values."""

import functools

import numpy as np

from . import MESSAGE, dtypes as dt, tree
from .arrays import Array, asarray, in_kernel, is_traced


class ShapeDtypeStruct:
    """The shape and dtype of an array that does not exist yet."""

    def __init__(self, shape, dtype, *, sharding=None, weak_type=False, **_):
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        self.shape = tuple(int(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))
        if any(n < 0 for n in self.shape):
            raise TypeError(f"a shape is made of ints that are not negative, not {shape!r}")
        self.dtype = dt.canonicalize_dtype(dtype)
        self.sharding, self.weak_type = sharding, weak_type

    @property
    def memory_space(self):
        from .spaces import Space

        return Space.Device

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape, dtype=np.int64)))

    @classmethod
    def like(cls, x):
        return cls(x.shape, x.dtype)

    def update(self, **changes):
        return ShapeDtypeStruct(changes.get("shape", self.shape), changes.get("dtype", self.dtype))

    def __eq__(self, other):
        return isinstance(other, ShapeDtypeStruct) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype.name})"


def _as_jax(x):
    return asarray(x) if isinstance(x, (np.ndarray, np.generic)) or dt.weak_kind(x) else x


def jit(fun=None, *, static_argnums=None, static_argnames=None, **options):
    """The function itself, which converts its arguments to arrays. Kernels are compiled when they are called."""
    if fun is None:
        return lambda fun: jit(fun, static_argnums=static_argnums, static_argnames=static_argnames)
    numbers = {static_argnums} if isinstance(static_argnums, int) else set(static_argnums or ())
    names = {static_argnames} if isinstance(static_argnames, str) else set(static_argnames or ())
    code = getattr(getattr(fun, "func", fun), "__code__", None)
    if code is not None and not hasattr(fun, "func"):
        parameters = code.co_varnames[: code.co_argcount]
        numbers |= {i for i, name in enumerate(parameters) if name in names}
        numbers |= {len(parameters) + n for n in numbers if n < 0}

    def call(*arguments, **named):
        if in_kernel():
            return fun(*arguments, **named)
        arguments = [x if i in numbers else tree.map(_arrays_only, x) for i, x in enumerate(arguments)]
        named = {name: x if name in names else tree.map(_arrays_only, x) for name, x in named.items()}
        return tree.map(_as_jax, fun(*arguments, **named))

    def lower(*arguments, **named):
        """Compiles the function's kernels without running them. Arguments may be shapes."""
        from .kernels import Runs

        def zeros(x):
            from . import jnp

            return jnp.zeros(x.shape, x.dtype) if isinstance(x, ShapeDtypeStruct) else x

        Runs.compile_only += 1
        try:
            call(*tree.map(zeros, arguments), **tree.map(zeros, named))
        finally:
            Runs.compile_only -= 1
        return Lowered(call)

    functools.update_wrapper(call, fun, assigned=[name for name in functools.WRAPPER_ASSIGNMENTS if hasattr(fun, name)], updated=())
    call.lower = lower
    call.trace = lambda *arguments, **named: Traced(functools.partial(lower, *arguments, **named))
    return call


class Traced:
    """The result of `jax.jit(f).trace(…)`. Its `lower()` compiles the function's kernels without running them."""

    def __init__(self, lower):
        self._lower = lower

    def lower(self, *, lowering_platforms=None):
        return self._lower()


class Lowered:
    """The result of `jax.jit(f).lower(…)`. Its `compile()` returns the function."""

    def __init__(self, function):
        self._function = function

    def compile(self):
        return self._function

    def __getattr__(self, name):
        raise AttributeError(f"`jax.stages.Lowered.{name}`: {MESSAGE}", name=name)


def _arrays_only(x):
    """Converts NumPy arrays to JAX arrays. Python's numbers stay numbers, because functions are not traced here."""
    return asarray(x) if isinstance(x, (np.ndarray, np.generic)) else x


def vmap(fun, in_axes=0, out_axes=0, axis_name=None, axis_size=None, spmd_axis_name=None):
    """Calls the function on each part of its arguments along an axis, one after the other, and stacks the results."""

    def mapped(*args, **named):
        from . import jnp

        if in_kernel():
            raise NotImplementedError("there is no vmap in a kernel: arrays there are tiles; give the kernel one more grid axis")
        axes = list(in_axes) if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(axes) != len(args):
            raise ValueError(f"vmap has {len(axes)} in_axes for {len(args)} arguments")
        each_axis = [_axes_of(a, arg) for a, arg in zip(axes, args)]
        sizes = [np.shape(x)[a] for arg, found in zip(args, each_axis) for x, a in zip(tree.leaves(arg), found) if a is not None]
        sizes += [np.shape(x)[0] for x in tree.leaves(named)]
        if not sizes and axis_size is None:
            raise ValueError("vmap maps no argument: all of in_axes are None")
        count = sizes[0] if sizes else axis_size
        if any(n != count for n in sizes):
            raise ValueError(f"vmap maps axes of different sizes, {sorted(set(sizes))}")

        def part(arg, found, i):
            leaves, shape = tree.flatten(arg)
            return shape.unflatten([x if a is None else jnp.take(asarray(x), i, a) for x, a in zip(leaves, found)])

        outs = [
            fun(*[part(arg, found, i) for arg, found in zip(args, each_axis)], **tree.map(lambda x: asarray(x)[i], named))
            for i in range(count)
        ]
        shape = tree.structure(outs[0])
        columns = list(zip(*map(tree.leaves, outs)))
        places = _axes_of(out_axes, outs[0])
        return shape.unflatten([column[0] if a is None else jnp.stack(list(column), a) for column, a in zip(columns, places)])

    return mapped


def _axes_of(axes, value):
    """The axis of each leaf. A number applies to all leaves below it."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(tree.leaves(value))
    if isinstance(axes, dict):
        return [a for key in sorted(value) for a in _axes_of(axes[key], value[key])]
    return [a for one, part in zip(axes, value) for a in _axes_of(one, part)]


class custom_vjp:
    """A function with its own gradient, `f.defvjp(forward, backward)`. `jax.grad`, `value_and_grad` and `vjp` take
    such functions, and functions that only call one of them with their arguments."""

    def __init__(self, fun, nondiff_argnums=(), nondiff_argnames=()):
        self.fun, self.forward, self.backward = fun, None, None
        self.constants = tuple(nondiff_argnums)
        functools.update_wrapper(self, fun)

    def defvjp(self, fwd, bwd, **_):
        self.forward, self.backward = fwd, bwd

    def __get__(self, owner, kind=None):
        return self if owner is None else functools.partial(self, owner)

    def __call__(self, *args, **named):
        if not _calls or self.backward is None or named:
            return self.fun(*args, **named)
        out, kept = self.forward(*args)
        _calls[-1].append((self, args, out, kept))
        return out


class custom_jvp(custom_vjp):
    def defjvp(self, jvp, **_):
        return jvp


_calls = []  # for each running `vjp` of an ordinary function, the calls of `custom_vjp` functions in it


def _through(fun, primals):
    """`vjp` of a function that only calls one `jax.custom_vjp` function with its arguments and returns the value."""
    _calls.append([])
    try:
        out = fun(*primals)
    finally:
        made = _calls.pop()
    if len(made) != 1 or out is not made[0][2] or any(sum(a is x for a in made[0][1]) != 1 for x in primals):
        raise NotImplementedError(f"a gradient of anything but a `jax.custom_vjp` function, or what hands its arguments on to one, is {MESSAGE}")
    inner, args, _, kept = made[0]
    constants = [args[i] for i in inner.constants]
    places = [i for i in range(len(args)) if i not in inner.constants]

    def gradients(g):
        found = inner.backward(*constants, kept, g)
        return tuple(found[k] for x in primals for k in range(len(places)) if args[places[k]] is x)

    return out, gradients


def vjp(fun, *primals, has_aux=False):
    """The value of a `jax.custom_vjp` function, and the function of its gradients."""
    if not isinstance(fun, custom_vjp) or fun.backward is None:
        return _through(fun, primals)
    out, kept = fun.forward(*primals)
    constants = [primals[i] for i in fun.constants]
    return out, lambda g: tuple(fun.backward(*constants, kept, g))


def value_and_grad(fun, argnums=0, has_aux=False, **_):
    """A function that returns the value of a `jax.custom_vjp` function and its gradients."""

    def both(*args):
        from . import jnp

        args = tuple(_as_jax(x) for x in args)
        out, backward = vjp(fun, *args)
        if np.shape(out) != ():
            raise TypeError(f"a gradient is one of a single number, and the function gives an array of shape {np.shape(out)}")
        given = list(backward(jnp.ones((), jnp.result_type(out))))
        constants = fun.constants if isinstance(fun, custom_vjp) else ()
        found = [None if i in constants else given.pop(0) for i in range(len(args))]
        return out, tuple(found[i] for i in argnums) if isinstance(argnums, (tuple, list)) else found[argnums]

    return both


def grad(fun, argnums=0, has_aux=False, **_):
    """A function that returns the gradients of a `jax.custom_vjp` function."""
    return lambda *args: value_and_grad(fun, argnums)(*args)[1]


def eval_shape(fun, *args, **named):
    """The shapes and dtypes of a function's results, found by calling it with zeros."""
    from . import jnp

    def zeros(x):
        return jnp.zeros(x.shape, x.dtype) if isinstance(x, ShapeDtypeStruct) else x

    out = fun(*tree.map(zeros, args), **tree.map(zeros, named))
    return tree.map(lambda x: ShapeDtypeStruct.like(asarray(x)), out)


def typeof(x):
    """The shape and dtype of an array."""
    if is_traced(x):
        return x
    from .sharding import NamedSharding, current_mesh, spec_of

    x = asarray(x)
    spec = spec_of(x)
    return ShapeDtypeStruct(x.shape, x.dtype, sharding=None if spec is None else NamedSharding(current_mesh(), spec))


def checkpoint(fun=None, **options):
    return fun if fun is not None else lambda fun: fun


def is_array(x):
    return isinstance(x, (Array, np.ndarray, np.generic, bool, int, float))
