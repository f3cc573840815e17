"""Triton's driver: it answers questions about the GPU, and loads and launches kernels."""

import functools
import time

import triton.testing
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.compiler import CompiledKernel
from triton.runtime import driver as drivers

from .launcher import Kernel, Launcher

_LANES = 32
# Triton keeps kernels by device number; this number keeps our kernels apart from those of a real GPU.
_FIRST_DEVICE = 1 << 20
_REGISTERS, _MOST_THREADS = 65536, 1024
_CLOCK_KHZ, _MEMORY_KHZ, _BUS_BITS = 1_755_000, 2_619_000, 5120


class _Event:
    """An event like PyTorch's. It measures the time of the emulation, not the GPU's time."""

    def __init__(self, *, enable_timing=False):
        self._at = 0.0

    def record(self):
        self._at = time.perf_counter()

    def elapsed_time(self, end):
        return (end._at - self._at) * 1000


class _Device:
    """The part of `torch.cuda` that Triton's helpers use."""

    Event = _Event

    def __init__(self, driver):
        self.current_device = driver.get_current_device

    def synchronize(self):
        pass


class _Utils:
    def __init__(self, driver):
        self._target, self._multiprocessors = driver.target, driver.multiprocessors

    def load_binary(self, name, ptx, shared, device):
        kernel = Kernel(name, ptx.decode() if isinstance(ptx, bytes) else ptx)
        # Triton 3.5 also asks for the largest number of threads.
        more = (_MOST_THREADS,) if "n_max_threads" in CompiledKernel._init_handles.__code__.co_names else ()
        return (kernel, kernel, 0, 0, *more)

    def get_device_properties(self, device):
        return {
            "max_shared_mem": self._target.shared,
            "max_num_regs": _REGISTERS,
            "multiprocessor_count": self._multiprocessors,
            "warpSize": _LANES,
            "sm_clock_rate": _CLOCK_KHZ,
            "mem_clock_rate": _MEMORY_KHZ,
            "mem_bus_width": _BUS_BITS,
        }

    def set_printf_fifo_size(self, size):
        pass


def _benchmark(kernel_call, *, quantiles, **named):
    """Times a configuration for `@triton.autotune`. Triton keeps this function, and calls it under other drivers
    too."""
    if isinstance(drivers._active, Driver):
        return [drivers._active.time_of(kernel_call)] * len(quantiles)
    return triton.testing.do_bench(kernel_call, quantiles=quantiles, **named)


class Driver(DriverBase):
    """The driver. `microseconds`: the time of the launches so far, by the emulator's cost model."""

    def __init__(self, target, autotune, multiprocessors):
        super().__init__()
        self.target = target
        self.multiprocessors = multiprocessors or target.multiprocessors
        self.autotune = autotune
        self.utils = _Utils(self)
        self.launcher_cls = functools.partial(Launcher, self)
        self.microseconds = 0.0
        self.launches = True  # if False, kernels are compiled but not run
        self.fast = False
        self._chosen = False

    @classmethod
    def is_active(cls):
        return True

    def get_current_target(self):
        return GPUTarget("cuda", self.target.capability, _LANES)

    def get_current_device(self):
        return _FIRST_DEVICE + self.target.capability * 1024 + self.multiprocessors % 1024

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return divmod(self.target.capability, 10)

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        return _Device(self)

    def map_python_to_cpp_type(self, ty):
        from triton.backends.nvidia.driver import ty_to_cpp

        return ty_to_cpp(ty)

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        return args

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass

    # --- choosing a configuration for `@triton.autotune`

    def begin_tuning(self):
        self._chosen = False

    def get_benchmarker(self):
        return _benchmark

    def time_of(self, kernel_call):
        """The milliseconds of a configuration by the cost model. With `autotune="first"`, the first configuration
        that compiles and fits gets the shortest time, and the others do not run."""
        first = self.autotune == "first"
        if first and self._chosen:
            return float("inf")
        self.launches, self.fast = not first, True
        try:
            time = self.modelled(kernel_call)
        finally:
            self.launches, self.fast = True, False
        self._chosen = True
        return 0.0 if first else time

    def modelled(self, call):
        """The milliseconds that the kernels of a call take by the cost model; NaN if the call runs no kernel."""
        before = self.microseconds
        call()
        return (self.microseconds - before) / 1000 if self.microseconds > before else float("nan")
