"""`jax.debug`"""

from . import missing
from .arrays import in_kernel, native

__getattr__ = missing("jax.debug")


def print(fmt, *args, ordered=False, **named):
    """Prints the text with its fields `{…}` filled in. In a kernel, this is `pl.debug_print`."""
    if not in_kernel():
        import builtins

        builtins.print(fmt.format(*args, **named))
    elif named:
        raise NotImplementedError("in a kernel, `jax.debug.print` takes its values by position")
    else:
        native("jax.experimental.pallas", "debug_print")(fmt, *args)


def callback(callback, *args, ordered=False, **named):
    """Calls the function at once, with the values on the host."""
    callback(*args, **named)


def breakpoint(**_):
    """Does nothing. `lanescope debug` can stop in kernels."""
