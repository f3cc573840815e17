"""`jax.experimental.mosaic.gpu`"""

from . import missing, profiler  # noqa: F401

__getattr__ = missing("jax.experimental.mosaic.gpu")
