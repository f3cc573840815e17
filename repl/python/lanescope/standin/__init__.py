"""A `jax` for machines that have none: `python3 -m lanescope run file.py` finds it when the real one is missing.

Arrays are NumPy's, kept under jax.numpy's rules; kernels are traced by running their body over Lanescope's references and
values. What is not here is an AttributeError that says so."""

import importlib
import sys

MESSAGE = "not in Lanescope's stand-in for JAX; `pip install jax` runs this file whole"


chip = "7x"  # the TPU whose SparseCores kernels are made for
sees_tpu = False  # whether the program's devices are TPUs; otherwise GPUs
stop = False  # a fault of a kernel is raised; otherwise it is told, and the program goes on


def install(**options):
    """Makes `import jax` find the stand-in. Says so on standard error when a program imports it."""
    from . import finder

    globals().update(options)
    finder.install()


def status():
    """The exit status that the kernels' faults call for; says how many there were."""
    kernels = sys.modules.get(f"{__name__}.kernels")
    if kernels is None or not kernels.Runs.faults:
        return 0
    print(f"lanescope: {kernels.Runs.faults} of {kernels.Runs.calls} calls of kernels are at fault", file=sys.stderr)
    return 1


def missing(module):
    """The `__getattr__` of a module of the stand-in: modules below it, which are loaded when they are asked for."""

    def __getattr__(name):
        from . import finder

        if f"{module}.{name}" in finder.MODULES and not name.startswith("__"):
            return importlib.import_module(f"{module}.{name}")
        raise AttributeError(f"`{module}.{name}`: {MESSAGE}", name=name)

    return __getattr__
