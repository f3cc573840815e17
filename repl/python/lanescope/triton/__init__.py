"""Triton's kernels on Lanescope's emulator: compiled by the Triton that is installed, for a GPU that need not be there.

    import lanescope.triton

    with lanescope.triton.emulated(arch="sm_90a"):
        add_kernel[(4,)](x, y, out, 512, BLOCK=128)      # tensors of PyTorch on the CPU, or NumPy's arrays

A kernel that goes wrong raises `lanescope.Fault` at its Python line; hazards are warnings (`lanescope.HazardWarning`). Works
with Gluon's kernels too. docs/python.md, "Triton", is the page for users."""

import contextlib

from .._errors import Fault, HazardWarning

__all__ = ["Fault", "HazardWarning", "emulated", "install", "tensor"]


def install(arch=None, *, autotune="first", multiprocessors=None):
    """Makes the emulator Triton's driver, for the rest of the process.

    `arch`: what kernels are compiled for, "sm_80", "sm_89", "sm_90a", "sm_100a", …; that of `lanescope.configure` by default.
    `autotune`: how `@triton.autotune` chooses: "first" takes the first configuration that compiles and fits; "model" runs
    each of them once without checks, and takes the fastest one by the emulator's cost model.
    `multiprocessors`: how many the GPU is said to have; persistent kernels launch that many programs."""
    from . import installation

    return installation.enter(arch, autotune, multiprocessors)[0]


@contextlib.contextmanager
def emulated(arch=None, *, autotune="first", multiprocessors=None):
    """`install` for the statements inside; Triton's driver is then what it was before."""
    from . import installation

    driver, leave = installation.enter(arch, autotune, multiprocessors)
    try:
        yield driver
    finally:
        leave()


def tensor(array):
    """A NumPy array with the methods of a tensor that Triton asks for, as `TensorDescriptor.from_tensor` does. Kernels
    take NumPy's arrays themselves."""
    from . import arrays

    return arrays.wrap(array)
