#!/usr/bin/env python3
"""Tests the package `lanescope` together with PyTorch, JAX and Triton, in each order of imports, and on this machine's
GPU.

  PYTHONPATH=build/release/python tests/gpu/python.py

Each order of imports runs in its own process. The test passes arrays of each package to a kernel, reads its dtypes and
layout objects, and runs the kernel on the emulator and on the GPU. Missing packages are named and left out. Exit
status: 0 all is right; 1 something is not."""
import importlib.util
import subprocess
import sys
import time

ORDERS = (("torch", "jax", "triton", "lanescope"), ("lanescope", "jax", "triton", "torch"), ("jax", "lanescope"), ("triton", "lanescope"))


def inside(order):
    for name in order:
        __import__(name)
    import numpy

    import lanescope as ls

    @ls.kernel(grid=(1,))
    def double(x: ls.GMEM((128,), ls.bf16), out: ls.Out((128,), ls.bf16)):
        out[...] = x[...] * 2

    def check(given):
        result = numpy.asarray(double(given)).astype("f4")
        assert (result == 2 * numpy.arange(128)).all(), result

    ls.configure(device="emulator")
    if "torch" in order:
        import torch

        check(torch.arange(128, dtype=torch.bfloat16))
        assert ls.zeros((2,), torch.float16).dtype == "float16"
        if torch.cuda.is_available():
            try:
                double(torch.arange(128, dtype=torch.bfloat16, device="cuda"))
            except TypeError as error:
                assert "x.cpu()" in str(error), error
            else:
                raise AssertionError("an array of the GPU was taken")
    if "jax" in order:
        import jax.numpy as jnp
        from jax.experimental.mosaic.gpu import fragmented_array

        check(jnp.arange(128, dtype=jnp.bfloat16))
        assert ls.zeros((2,), jnp.float32).dtype == "float32"
        assert ls.layout(fragmented_array.WGMMA_LAYOUT) == ls.WGMMA
        assert ls.layout(fragmented_array.WGMMA_ROW_LAYOUT) == ls.WGMMA_ROW
    if "triton" in order:
        from triton.experimental.gluon import language

        blocked = ls.layout(language.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0]))
        assert "sizePerThread = [1, 8]" in repr(blocked), blocked
    for device in ("emulator", "gpu"):
        ls.configure(device=device)
        given = numpy.arange(128, dtype="f4")
        check(ls.astype(given, ls.bf16))
        start, calls = time.perf_counter(), 200
        for _ in range(calls):
            double(ls.astype(given, ls.bf16))
        print(f"{' '.join(order)}: {1e3 * (time.perf_counter() - start) / calls:.2f} ms a call on the {device}")


def main():
    if len(sys.argv) > 1:
        return inside(sys.argv[1:])
    missing = [name for name in ("torch", "jax", "triton") if importlib.util.find_spec(name) is None]
    print(*(f"{name} is not there: left out" for name in missing), sep="\n", end="\n" if missing else "")
    failed = 0
    for order in {tuple(name for name in order if name not in missing) for order in ORDERS}:
        failed += subprocess.run([sys.executable, __file__, *order]).returncode != 0
    return 1 if failed else 0


sys.exit(main())
