"""Functions of arrays in GPU kernels that have no native function. They are composed of native functions."""


def select(condlist, choicelist, default=0):
    """Chooses elements by the first condition that holds."""
    from . import jnp

    if len(condlist) != len(choicelist):
        raise ValueError(f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})")
    if not condlist:
        raise ValueError("condlist must be non-empty")
    out = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        out = jnp.where(condition, choice, out)
    return out


def polyval(p, x, *, unroll=16):
    """The polynomial with these coefficients, the highest power first."""
    coefficients = list(p)
    out = coefficients[0] + x * 0
    for each in coefficients[1:]:
        out = out * x + each
    return out


def _vectors(name, a, b):
    if len(a.shape) != 1 or len(b.shape) != 1:
        raise NotImplementedError(f"`jnp.{name}` in a kernel takes vectors, not {a.shape} and {b.shape}; matrices are multiplied by "
                                  "`plgpu.wgmma`, `plgpu.tcgen05_mma` or `plgpu.mma`")  # fmt: skip


def _product_of_vectors(name):
    def product(a, b, **_):
        from . import jnp

        _vectors(name, a, b)
        return jnp.sum(a * b)

    return product


dot, inner, vdot = map(_product_of_vectors, ("dot", "inner", "vdot"))


def outer(a, b, out=None):
    _vectors("outer", a, b)
    return a[:, None] * b[None, :]


def _with_rank(x, rank):
    return x if len(x.shape) >= rank else x.reshape((1,) * (rank - len(x.shape)) + tuple(x.shape))


def atleast_1d(x):
    return _with_rank(x, 1)


def atleast_2d(x):
    return _with_rank(x, 2)
