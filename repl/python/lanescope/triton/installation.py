"""Replaces parts of Triton while its kernels run here, and puts Triton's own parts back."""

import contextlib
import functools

try:
    import triton
except ImportError as problem:
    raise ImportError("lanescope.triton runs kernels of Triton, which this Python does not have: `pip install triton`") from problem

import triton.testing
from triton import backends
from triton.runtime import autotuner, driver as drivers, jit

from . import arrays, backend, targets
from .driver import Driver


def enter(arch, autotune, multiprocessors):
    """Replaces the parts. Returns (the driver, a function that undoes all changes)."""
    if "nvidia" not in backends.backends:
        raise ImportError("this Triton was built without its backend for NVIDIA's GPUs, which kernels are compiled with")
    if autotune not in ("first", "model"):
        raise ValueError(f'`autotune` is "first" or "model", not {autotune!r}')
    driver = Driver(targets.target(arch), autotune, multiprocessors)
    nvidia = backends.backends["nvidia"]
    with contextlib.ExitStack() as undo:  # undoes the changes even if this Triton lacks a name
        undo.callback(_set_active, drivers._active)
        _set_active(driver)
        undo.callback(backends.backends.__setitem__, "nvidia", nvidia)
        backends.backends["nvidia"] = backends.Backend(compiler=backend.emulated(nvidia.compiler), driver=nvidia.driver)
        for owner, name, make in (
            (jit.JITFunction, "run", _run),
            (autotuner.Autotuner, "prune_configs", functools.partial(_prune_configs, driver)),
            (triton.testing, "do_bench", functools.partial(_do_bench, driver)),
            (triton.testing, "do_bench_cudagraph", functools.partial(_do_bench, driver)),
        ):
            former = getattr(owner, name)
            undo.callback(setattr, owner, name, former)
            setattr(owner, name, make(former))
        return driver, undo.pop_all().close


def _set_active(driver):
    drivers._active = driver


def _run(former):
    """Wraps arguments, because Triton calls their `data_ptr()`, which NumPy's arrays lack. Triton also keeps a
    kernel's last text as bytes, which is the PTX here."""

    @functools.wraps(former)
    def run(self, *arguments, **named):
        kernel = former(self, *map(arrays.wrap, arguments), **{name: arrays.wrap(each) for name, each in named.items()})
        texts = getattr(kernel, "asm", {})
        if isinstance(texts.get("ptx"), bytes):
            texts["ptx"] = texts["ptx"].decode()
        return kernel

    return run


def _prune_configs(driver, former):
    @functools.wraps(former)
    def prune_configs(self, *arguments, **named):
        driver.begin_tuning()
        return former(self, *arguments, **named)

    return prune_configs


def _do_bench(driver, former):
    """`triton.testing.do_bench`: the milliseconds of one call by the emulator's cost model."""

    @functools.wraps(former)
    def do_bench(fn, *arguments, quantiles=None, return_mode="mean", **named):
        time = driver.modelled(fn)
        if quantiles is not None:
            return time if len(quantiles) == 1 else [time] * len(quantiles)
        return [time] if return_mode == "all" else time

    return do_bench
