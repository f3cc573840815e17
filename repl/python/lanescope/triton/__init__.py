"""Runs Triton's kernels on Lanescope's emulator. The installed Triton compiles them for a GPU that need not exist.

    import lanescope.triton

    with lanescope.triton.emulated(arch="sm_90a"):
        add_kernel[(4,)](x, y, out, 512, BLOCK=128)      # tensors of PyTorch on the CPU, or NumPy's arrays

A kernel that goes wrong raises `lanescope.Fault` at its Python line. Hazards are warnings (`lanescope.HazardWarning`).
Gluon's kernels work too. docs/python.md, "Triton", is the page for users."""

import contextlib

from .._errors import Fault, HazardWarning

__all__ = ["Fault", "HazardWarning", "emulated", "install", "tensor"]


def install(arch=None, *, autotune="first", multiprocessors=None):
    """Makes the emulator Triton's driver for the rest of the process.

    `arch`: the architecture to compile kernels for, "sm_80", "sm_89", "sm_90a", "sm_100a", …; by default that of
    `lanescope.configure`.
    `autotune`: how `@triton.autotune` chooses a configuration. "first" takes the first one that compiles and fits.
    "model" runs each one once without checks, and takes the fastest by the emulator's cost model.
    `multiprocessors`: the number that Triton sees; persistent kernels launch that many programs."""
    from . import installation

    return installation.enter(arch, autotune, multiprocessors)[0]


@contextlib.contextmanager
def emulated(arch=None, *, autotune="first", multiprocessors=None):
    """Installs the driver for the statements inside the `with`. Afterwards, Triton has its former driver again."""
    from . import installation

    driver, leave = installation.enter(arch, autotune, multiprocessors)
    try:
        yield driver
    finally:
        leave()


def tensor(array):
    """Wraps a NumPy array with the methods of a tensor that Triton calls, for example in
    `TensorDescriptor.from_tensor`. Kernels take plain NumPy arrays."""
    from . import arrays

    return arrays.wrap(array)
