"""`jax.scipy`"""

from . import missing, special  # noqa: F401

__getattr__ = missing("jax.scipy")
