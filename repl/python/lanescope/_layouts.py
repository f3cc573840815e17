"""Makes layouts from texts and from other packages' objects."""

from . import _native, _support


def layout(x, **options):
    """Makes a layout from a text in any notation (CuTe, Triton, JAX, MLIR, Tilus, linear layouts, …), or from a layout
    object of JAX, Triton or CuTe DSL."""
    if isinstance(x, str):
        return _native.builtin("layout")(x, **options)
    if isinstance(x, _native.Value):
        return x
    converted = _support.convert(x)
    if converted is None or not isinstance(converted[1], _native.Value):
        raise TypeError(f"`layout` takes a text or a layout, not {type(x).__name__}")
    return converted[1]
