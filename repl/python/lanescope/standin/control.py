"""Loops and branches. On the host they are Python's. In kernels they are the language's own, and Python runs each body
once to trace it."""

from .. import _native
from . import tree
from .arrays import any_traced, asarray, in_kernel, is_traced, native, on_subcore

_LAX, _PALLAS = "jax.lax", "jax.experimental.pallas"


class Trees:
    """The values that a loop carries, as a tuple of leaves for the native functions."""

    def __init__(self, value, what):
        self.leaves, self.shape = tree.flatten(value)
        self.what = what

    def of(self, leaves):
        return self.shape.unflatten(list(leaves))

    def leaves_of(self, value):
        leaves, shape = tree.flatten(value)
        if shape != self.shape:
            raise TypeError(f"{self.what} gives {shape}, and began with {self.shape}: the structure stays the same")
        return tuple(leaves)


def _plain(n):
    """The bound of a range as an int of Python if it is known, otherwise as it is."""
    return n if is_traced(n) else int(n)


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    """Runs `value = body_fun(i, value)` for i from lower up to upper, and returns the last value."""
    lower, upper = _plain(lower), _plain(upper)
    if not in_kernel() or (unroll is True and not any_traced((lower, upper))):
        value = init_val
        for i in range(lower, upper):
            value = body_fun(i if in_kernel() else asarray(i), value)
        return value
    carried = Trees(init_val, "the body of `fori_loop`")

    def body(i, leaves):
        return carried.leaves_of(body_fun(i, carried.of(leaves)))

    options = {} if unroll in (None, True, False) else {"unroll": int(unroll)}
    return carried.of(native(_LAX, "fori_loop")(lower, upper, body, tuple(carried.leaves), **options))


def while_loop(cond_fun, body_fun, init_val):
    """Runs `value = body_fun(value)` while cond_fun(value) holds, and returns the last value."""
    if not in_kernel():
        value = tree.map(asarray, init_val)
        while cond_fun(value):
            value = body_fun(value)
        return value
    carried = Trees(init_val, "the body of `while_loop`")

    def going(leaves):
        return cond_fun(carried.of(leaves))

    def body(leaves):
        return carried.leaves_of(body_fun(carried.of(leaves)))

    return carried.of(native(_LAX, "while_loop")(going, body, tuple(carried.leaves)))


class _Branches:
    """The branches of a condition. Their results all get the structure of the first traced branch's result."""

    def __init__(self):
        self.shape = None

    def leaves(self, value):
        leaves, shape = tree.flatten(value)
        if self.shape is None:
            self.shape = shape
        elif self.shape != shape:
            raise TypeError(f"a branch gives {shape}, and another one {self.shape}: all give the same structure")
        return tuple(leaves)

    def of(self, leaves):
        return self.shape.unflatten(list(leaves) if isinstance(leaves, (tuple, list)) else [leaves])


def cond(pred, true_fun, false_fun, *operands, operand=None, **_):
    """true_fun(*operands) if pred holds, otherwise false_fun(*operands)."""
    operands = (operand,) if operand is not None and not operands else operands
    if not is_traced(pred):
        return (true_fun if pred else false_fun)(*operands)
    branches = _Branches()

    def branch(function):
        return lambda: branches.leaves(function(*operands))

    return branches.of(native(_LAX, "cond")(pred, branch(true_fun), branch(false_fun)))


def switch(index, branches, *operands, **_):
    """branches[index](*operands). An index outside takes the nearest branch."""
    if not is_traced(index):
        return branches[min(max(int(index), 0), len(branches) - 1)](*operands)
    if len(branches) == 1:
        return branches[0](*operands)
    found = _Branches()

    def branch(function):
        return lambda: found.leaves(function(*operands))

    return found.of(native(_LAX, "switch")(index, [branch(each) for each in branches]))


def scan(f, init, xs=None, length=None, reverse=False, unroll=1, **_):
    """Runs `carry, y = f(carry, x)` for the rows of xs, a tree of arrays. Returns the last carry, and the ys as one
    tree."""
    from . import jnp

    leaves = tree.leaves(xs)
    count = int(length) if not leaves else leaves[0].shape[0]
    for leaf in leaves:
        if leaf.shape[0] != count:
            raise ValueError(f"the arrays that `scan` goes through have {count} and {leaf.shape[0]} rows")
    if in_kernel() and not leaves:
        given = []

        def body(_, carry):
            carry, y = f(carry, None)
            given.append(y)
            return carry

        out = fori_loop(0, count, body, init)
        if tree.leaves(given):
            raise NotImplementedError("a loop in a kernel carries values and gives none per step: write them to a reference")
        return out, None
    rows = tree.map(asarray, xs)
    carry, ys = init if in_kernel() else tree.map(asarray, init), []
    for i in reversed(range(count)) if reverse else range(count):
        carry, y = f(carry, tree.map(lambda x: x[i], rows))
        ys.append(y)
    if not ys or not tree.leaves(ys[0]):
        return carry, ys[0] if ys else None
    ys = ys[::-1] if reverse else ys
    return carry, tree.map(lambda *parts: jnp.stack(list(parts)), *ys)


def when(condition, /):
    """`@pl.when(condition)` above a function runs it if the condition holds."""

    def decorate(body):
        if not is_traced(condition):
            if condition:
                body()
        else:
            native(_PALLAS, "when")(condition)(lambda: _nothing(body()))

    return decorate


def _nothing(_):
    return None


def _subcore_loop(bounds, step, init_carry, unroll, body):
    """`pl.loop` on a SparseCore. The native loop is called with the body."""
    carried = Trees(() if init_carry is None else init_carry, "the body of `pl.loop`")

    def round(i, leaves):
        if init_carry is None:
            body(i)
            return ()
        return carried.leaves_of(body(i, carried.of(leaves)))

    options = {} if unroll in (None, False) else {"unroll": int(unroll)}
    out = _native.builtin("loop")(*bounds, step, carry=tuple(carried.leaves), **options)(round)
    return None if init_carry is None else carried.of(out)


def loop(lower, upper, *, step=1, init_carry=None, unroll=None):
    """`@pl.loop(lower, upper)` above a function runs it for each index. With a carry, the function takes and returns
    it."""

    def decorate(body):
        if unroll is True or not in_kernel():
            carry = init_carry
            for i in range(int(lower), int(upper), int(step)):
                carry = body(i) if init_carry is None else body(i, carry)
            return None if init_carry is None else carry
        bounds = _plain(lower), _plain(upper)
        if on_subcore():
            return _subcore_loop(bounds, step, init_carry, unroll, body)
        if init_carry is None:
            return native(_PALLAS, "loop")(*bounds, step=step)(lambda i: _nothing(body(i)))
        carried = Trees(init_carry, "the body of `pl.loop`")
        inner = lambda i, leaves: carried.leaves_of(body(i, carried.of(leaves)))  # noqa: E731
        return carried.of(native(_PALLAS, "loop")(*bounds, step=step, init_carry=tuple(carried.leaves))(inner))

    return decorate
