"""The devices that a program sees: eight GPUs of a node, or eight TPUs."""

from .. import standin

_KINDS = {"sm_90a": ("NVIDIA H200", "9.0", 132), "sm_100a": ("NVIDIA B200", "10.0", 148)}


def _kind():
    """(name, compute capability, multiprocessors) of the GPU that kernels are compiled for."""
    from .. import _native

    return _KINDS.get(_native.configure()["arch"], _KINDS["sm_90a"])


def _tpu_kind():
    """The name of the chip as the TPU's runtime writes it."""
    return {"v5p": "TPU v5", "v6e": "TPU v6 lite"}.get(standin.chip, f"TPU{standin.chip}")


class Device:
    process_index, local_hardware_id, host_id, num_cores = 0, 0, 0, 1
    platform = property(lambda self: default_backend())
    device_kind = property(lambda self: _tpu_kind() if standin.sees_tpu else _kind()[0])
    compute_capability = property(lambda self: _kind()[1])
    core_count = property(lambda self: _kind()[2])

    def __init__(self, number):
        self.id = number

    def memory_stats(self):
        return None

    def __repr__(self):
        return f"{'TpuDevice' if standin.sees_tpu else 'CudaDevice'}(id={self.id})"


_devices = [Device(number) for number in range(8)]


def devices(backend=None):
    """Eight devices. A kernel runs on the first one, or on the devices of a `jax.shard_map`'s mesh."""
    return list(_devices)


local_devices = devices


def device_count(backend=None):
    return len(_devices)


local_device_count = device_count


def process_index(backend=None):
    return 0


def process_count(backend=None):
    return 1


def default_backend():
    return "tpu" if standin.sees_tpu else "gpu"
