"""Answers a program's questions to JAX about its GPU."""
import dataclasses
import types


@dataclasses.dataclass(frozen=True)
class Gpu:
    device_kind: str
    arch: tuple  # compute capability
    core_count: int  # number of streaming multiprocessors

CUDA_NAMES = ("gpu", "cuda")  # names of JAX's backend
CUDA = 13000  # version 13.0 in the form of cudaRuntimeGetVersion
# Source: NVIDIA's data sheets.
GPUS = {
    "h100": Gpu("NVIDIA H100 80GB HBM3", (9, 0), 132),
    "h200": Gpu("NVIDIA H200", (9, 0), 132),
    "b200": Gpu("NVIDIA B200", (10, 0), 148),
    "rtx5090": Gpu("NVIDIA GeForce RTX 5090", (12, 0), 170),
}


def of_cpu(function, position, names=CUDA_NAMES):
    """Wraps the function so that a call that asks for a backend of one of those names gets the answer for the CPU."""
    def asked(*args, **kwargs):
        args = list(args)
        if len(args) > position and args[position] in names:
            args[position] = "cpu"
        if kwargs.get("backend") in names:
            kwargs["backend"] = "cpu"
        return function(*args, **kwargs)

    return asked


def pretend(jax, name, tpu=""):
    """Makes `jax.devices()[0]` answer as that GPU does (kernels choose their grid by `core_count`), and makes
    `jax.devices("gpu")` and `jax.default_backend()` answer as if the GPU were there. `tpu` names a TPU instead."""
    if tpu:
        from .sparsecore import CHIPS

        device = type(jax.devices("cpu")[0])
        device.device_kind, device.num_cores = property(lambda _: CHIPS[tpu]), property(lambda _: 1)
        jax.devices = of_cpu(jax.devices, 0, ("tpu",))
        jax.default_backend = lambda: "tpu"
        return
    describe(jax, name)
    from jax._src import lib

    # There is no plugin for CUDA, but kernels ask for its version to avoid bugs of some versions.
    if lib.cuda_versions is None:
        lib.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: CUDA)

    for name, position in (("devices", 0), ("device_count", 0), ("local_device_count", 0), ("local_devices", 1)):
        setattr(jax, name, of_cpu(getattr(jax, name), position))
    jax.default_backend = lambda: "gpu"


def describe(jax, name):
    """Gives the program's device the properties of that GPU."""
    gpu, device = GPUS[name], type(jax.devices("cpu")[0])
    major, minor = gpu.arch
    for attribute, value in (("device_kind", gpu.device_kind), ("core_count", gpu.core_count), ("compute_capability", f"{major}.{minor}")):
        setattr(device, attribute, property(lambda _, value=value: value))
