"""Runs the Mosaic GPU kernels of JAX programs with Lanescope: `python3 -m lanescope run my_file.py`.

From inside a program, before the first kernel is compiled:

    import lanescope.jax
    lanescope.jax.install(capture="calls")     # the options of the command line, as keywords

hooks.py is the part that knows JAX. The rest needs only the standard library."""
from .options import Options


def install(**options):
    """Sends the Mosaic GPU kernels of this process to Lanescope. Returns the Bridge."""
    from . import hooks  # imports jax

    return hooks.install(Options(**options))
