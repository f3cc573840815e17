"""The devices that a program sees: eight of a node."""


class Device:
    platform, process_index, compute_capability, core_count = "gpu", 0, "9.0", 132
    device_kind, local_hardware_id, host_id = "NVIDIA H200", 0, 0

    def __init__(self, number):
        self.id = number

    def memory_stats(self):
        return None

    def __repr__(self):
        return f"CudaDevice(id={self.id})"


_devices = [Device(number) for number in range(8)]


def devices(backend=None):
    """Eight devices. A kernel runs on the first, or on those of the mesh of a `jax.shard_map`."""
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
    return "gpu"
