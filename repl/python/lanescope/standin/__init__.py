"""A `jax` for machines that have none: `python3 -m lanescope run file.py` finds it when the real one is missing.

Arrays are NumPy's, kept under jax.numpy's rules; kernels are traced by running their body over Lanescope's references and
values. What is not here is an AttributeError that says so."""

import importlib

MESSAGE = "not in Lanescope's stand-in for JAX; `pip install jax` runs this file whole"


def install():
    """Makes `import jax` find the stand-in. Says so on standard error when a program imports it."""
    from . import finder

    finder.install()


def missing(module):
    """The `__getattr__` of a module of the stand-in: modules below it, which are loaded when they are asked for."""

    def __getattr__(name):
        from . import finder

        if f"{module}.{name}" in finder.MODULES and not name.startswith("__"):
            return importlib.import_module(f"{module}.{name}")
        raise AttributeError(f"`{module}.{name}`: {MESSAGE}", name=name)

    return __getattr__
