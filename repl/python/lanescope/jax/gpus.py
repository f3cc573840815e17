"""Answers a program that asks JAX for its GPU."""
import dataclasses
import types


@dataclasses.dataclass(frozen=True)
class Gpu:
    device_kind: str
    arch: tuple  # compute capability
    core_count: int  # streaming multiprocessors

CUDA_NAMES = ("gpu", "cuda")  # of JAX's backend
CUDA = 13000  # as cudaRuntimeGetVersion says it: 13.0
# NVIDIA's data sheets.
GPUS = {
    "h100": Gpu("NVIDIA H100 80GB HBM3", (9, 0), 132),
    "h200": Gpu("NVIDIA H200", (9, 0), 132),
    "b200": Gpu("NVIDIA B200", (10, 0), 148),
}


def of_cpu(function, position, names=CUDA_NAMES):
    """The function, which answers for the CPU in place of a backend of those names."""
    def asked(*args, **kwargs):
        args = list(args)
        if len(args) > position and args[position] in names:
            args[position] = "cpu"
        if kwargs.get("backend") in names:
            kwargs["backend"] = "cpu"
        return function(*args, **kwargs)

    return asked


def pretend(jax, name, tpu=""):
    """`jax.devices()[0]` says what that GPU says (kernels choose their grid by `core_count`), and `jax.devices("gpu")` and
    `jax.default_backend()` are answered as if it were there. `tpu`: a TPU in its place."""
    if tpu:
        from .sparsecore import CHIPS

        device = type(jax.devices("cpu")[0])
        device.device_kind, device.num_cores = property(lambda _: CHIPS[tpu]), property(lambda _: 1)
        jax.devices = of_cpu(jax.devices, 0, ("tpu",))
        jax.default_backend = lambda: "tpu"
        return
    describe(jax, name)
    from jax._src import lib

    if lib.cuda_versions is None:  # no plugin for CUDA: kernels that know of a version's faults ask for it
        lib.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: CUDA)

    for name, position in (("devices", 0), ("device_count", 0), ("local_device_count", 0), ("local_devices", 1)):
        setattr(jax, name, of_cpu(getattr(jax, name), position))
    jax.default_backend = lambda: "gpu"


def describe(jax, name):
    """The program's device says what that GPU says."""
    gpu, device = GPUS[name], type(jax.devices("cpu")[0])
    major, minor = gpu.arch
    for attribute, value in (("device_kind", gpu.device_kind), ("core_count", gpu.core_count), ("compute_capability", f"{major}.{minor}")):
        setattr(device, attribute, property(lambda _, value=value: value))
