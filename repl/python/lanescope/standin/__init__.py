"""A `jax` for machines that have none: `python3 -m lanescope run file.py` finds it when the real one is missing.

Arrays are NumPy's arrays under jax.numpy's rules. A kernel is traced by running its body on Lanescope's references and
values. A missing name raises an AttributeError that says so."""

import importlib
import sys

MESSAGE = "not in Lanescope's stand-in for JAX; `pip install jax` runs this file whole"


chip = "7x"  # the TPU for whose SparseCores kernels are compiled
sees_tpu = False  # True: the program's devices are TPUs; False: GPUs
stop = False  # True: a kernel's fault is raised; False: a fault is reported, and the program continues


def install(**options):
    """Makes `import jax` find the stand-in. When a program imports it, a message says so on standard error."""
    from . import finder

    globals().update(options)
    finder.install()


def status():
    """The exit status of the program, which is an error if kernels had faults. Prints the number of faults."""
    kernels = sys.modules.get(f"{__name__}.kernels")
    if kernels is None or not kernels.Runs.faults:
        return 0
    print(f"lanescope: {kernels.Runs.faults} of {kernels.Runs.calls} calls of kernels are at fault", file=sys.stderr)
    return 1


def missing(module):
    """The `__getattr__` of a module of the stand-in. It loads submodules on first use."""

    def __getattr__(name):
        from . import finder

        if f"{module}.{name}" in finder.MODULES and not name.startswith("__"):
            return importlib.import_module(f"{module}.{name}")
        raise AttributeError(f"`{module}.{name}`: {MESSAGE}", name=name)

    return __getattr__
