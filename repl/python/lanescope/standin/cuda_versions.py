"""`jax._src.lib.cuda_versions`"""

from . import missing

__getattr__ = missing("jax._src.lib.cuda_versions")


def cuda_runtime_get_version():
    """13.0, the first release that accepts all PTX that kernels here are compiled to. The function asks no runtime."""
    return 13000


def cuda_driver_get_version():
    return 13000
