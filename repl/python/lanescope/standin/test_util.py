"""`jax._src.test_util`: the queries about the GPU that files with kernels use."""

from . import devices, missing

__getattr__ = missing("jax._src.test_util")


def _version(text):
    return tuple(int(part) for part in text.split("."))


def _capability():
    return _version(devices.devices()[0].compute_capability)


def is_cuda_compute_capability_at_least(capability):
    return _capability() >= _version(capability)


def is_cuda_compute_capability_equal(capability):
    return _capability() == _version(capability)


def is_device_cuda():
    return True


def test_device_matches(device_types):
    return bool({"gpu", "cuda"} & set(device_types))
