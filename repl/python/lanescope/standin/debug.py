"""`jax.debug`"""

from . import missing
from .arrays import in_kernel, native

__getattr__ = missing("jax.debug")


def print(fmt, *args, ordered=False, **named):
    """The text with its fields `{…}` filled in; in a kernel as `pl.debug_print`."""
    if not in_kernel():
        import builtins

        builtins.print(fmt.format(*args, **named))
    elif named:
        raise NotImplementedError("in a kernel, `jax.debug.print` takes its values by position")
    else:
        native("jax.experimental.pallas", "debug_print")(fmt, *args)


def callback(callback, *args, ordered=False, **named):
    """The function of the host's values."""
    callback(*args, **named)


def breakpoint(**_):
    """Nothing: `lanescope debug` stops in kernels."""
