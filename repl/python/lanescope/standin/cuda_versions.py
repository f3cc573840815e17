"""`jax._src.lib.cuda_versions`"""

from . import missing

__getattr__ = missing("jax._src.lib.cuda_versions")


def cuda_runtime_get_version():
    """Returns 13.0, the first release that accepts all PTX that is made here. No CUDA runtime is asked."""
    return 13000


def cuda_driver_get_version():
    return 13000
